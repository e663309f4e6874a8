/** Drawings of 20 by 20; the words beside them say what they mean. */
import type { ReactNode } from "react";

import type { Support } from "../api/types";

function Drawing({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <svg className={className ?? "icon"} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

const SHAPES: Record<Support, ReactNode> = {
  supported: (
    <>
      <circle className="fill" cx="10" cy="10" r="9" />
      <path className="sign" d="M6 10.4l2.8 2.8L14.2 7.4" />
    </>
  ),
  unsupported: (
    <>
      <path className="line" d="M10 1.4 18.6 10 10 18.6 1.4 10Z" />
      <path className="stroke" d="M8 8.3c0-2.6 4-2.6 4-.1 0 1.7-2 1.6-2 3.2M10 13.6v.1" />
    </>
  ),
  contradicted: (
    <>
      <path className="fill" d="M6.3 1h7.4L19 6.3v7.4L13.7 19H6.3L1 13.7V6.3Z" />
      <path className="sign" d="M7 7l6 6M13 7l-6 6" />
    </>
  ),
  not_checked: (
    <>
      <circle className="line dashed" cx="10" cy="10" r="8.4" />
      <path className="stroke" d="M6.4 10h7.2" />
    </>
  ),
  not_checkworthy: <circle className="fill" cx="10" cy="10" r="2.4" />,
};

/** The verdict by shape; its colour comes from the class. */
export function VerdictMark({ support }: { support: Support }) {
  return <Drawing className={`mark ${support}`}>{SHAPES[support]}</Drawing>;
}

const path = (d: string) => (
  <Drawing>
    <path className="stroke" d={d} />
  </Drawing>
);

export const ExternalIcon = () => path("M8 4H4.5v11.5H16V12M11 4h5v5M16 4l-7 7");
export const CloseIcon = () => path("M5 5l10 10M15 5L5 15");
export const ThemeIcon = () => (
  <Drawing>
    <circle className="line" cx="10" cy="10" r="7.5" />
    <path className="fill" d="M10 2.5a7.5 7.5 0 0 1 0 15Z" />
  </Drawing>
);
export const FileIcon = () => path("M5 2.5h6.5L15.5 7v10.5H5ZM11.5 2.5V7h4");
export const UploadIcon = () => path("M10 13V3.5M6 7l4-4 4 4M3.5 13v3.5h13V13");
export const TrashIcon = () => path("M3.5 5.5h13M8 5V3h4v2M5.5 5.5l.8 11.5h7.4l.8-11.5");
export const AgainIcon = () => path("M16 8a6.3 6.3 0 1 0 .3 4M16.5 3.5V8H12");
export const BackIcon = () => path("M12.5 4.5L7 10l5.5 5.5");
export const NextIcon = () => path("M7.5 4.5L13 10l-5.5 5.5");
export const DoneIcon = () => path("M4 10.5l4 4 8-9");
