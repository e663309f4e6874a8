/** Small parts that every view uses. */
import type { MouseEvent, ReactNode } from "react";

import type { Problem } from "../api/types";
import { navigate } from "../state/router";
import { ExternalIcon } from "./icons";

interface LinkProps {
  to: string;
  children: ReactNode;
  className?: string;
  current?: boolean;
}

/** A link within the page; with a modifier key the browser opens it as any other. */
export function Link({ to, children, className, current }: LinkProps) {
  const go = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a href={to} className={className} onClick={go} aria-current={current ? "page" : undefined}>
      {children}
    </a>
  );
}

/** A link to another site: only http and https, no referrer, and marked as leaving. */
export function ExternalLink({ href, children }: { href: string; children: ReactNode }) {
  if (!isWebAddress(href)) return <span>{children}</span>;
  return (
    <a className="external" href={href} target="_blank" rel="noreferrer noopener">
      {children}
      <ExternalIcon />
      <span className="unseen"> (opens another site)</span>
    </a>
  );
}

export function isWebAddress(text: string): boolean {
  try {
    return ["http:", "https:"].includes(new URL(text).protocol);
  } catch {
    return false;
  }
}

interface ProblemProps {
  problem: Problem;
  retry?: (() => void) | undefined;
}

/** What went wrong, and what to do. */
export function ProblemNote({ problem, retry }: ProblemProps) {
  return (
    <div className="note problem" role="alert">
      <p>
        <strong>{problem.detail}</strong>
      </p>
      {problem.help !== "" && <p>{problem.help}</p>}
      {retry && (
        <button type="button" className="button small" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Waiting({ children }: { children: ReactNode }) {
  return (
    <p className="waiting" role="status">
      <span className="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {children}
    </p>
  );
}

/** The text is isolated: direction marks in it do not reach what stands around it. */
export function Foreign({ children }: { children: string }) {
  return <bdi>{children}</bdi>;
}
