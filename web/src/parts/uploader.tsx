/** Where documents come in: drag files here, choose them, or give an address. */
import { useRef, useState, type DragEvent } from "react";

import { useSession } from "../state/session";
import { useUploads, type Given, type Upload } from "../state/uploads";
import { Foreign, isWebAddress } from "./basics";
import { CloseIcon, UploadIcon } from "./icons";

interface UploaderProps {
  collection: string;
  labels?: readonly string[];
  example?: { name: string; text: string };
  changed: () => void;
}

export function Uploader({ collection, labels = [], example, changed }: UploaderProps) {
  const { session } = useSession();
  const { uploads, upload, forget } = useUploads(changed);
  const [over, setOver] = useState(false);
  const [address, setAddress] = useState("");
  const chooser = useRef<HTMLInputElement>(null);
  const mayChooseId = session.labels === null;

  const give = (given: Given[]): void => {
    for (const each of given) upload(each, { collection, labels, mayChooseId });
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    give([...event.dataTransfer.files].map((file) => ({ file })));
  };
  return (
    <div className="uploader">
      <div
        className={over ? "drop over" : "drop"}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => {
          setOver(false);
        }}
        onDrop={onDrop}
      >
        <UploadIcon />
        <p>
          <strong>Drop files here</strong>, or{" "}
          <button type="button" className="as-link" onClick={() => chooser.current?.click()}>
            choose them
          </button>
          {example && (
            <>
              , or{" "}
              <button
                type="button"
                className="as-link"
                onClick={() => {
                  give([{ file: new File([example.text], example.name, { type: "text/markdown" }) }]);
                }}
              >
                begin with an example
              </button>
            </>
          )}
        </p>
        <p className="quiet">PDF, Word, PowerPoint, Excel, HTML, EPUB, Markdown, plain text</p>
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          aria-label="Files to add"
          onChange={(event) => {
            give([...(event.target.files ?? [])].map((file) => ({ file })));
            event.target.value = "";
          }}
        />
      </div>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          give([{ url: address.trim() }]);
          setAddress("");
        }}
      >
        <input
          type="url"
          value={address}
          placeholder="https://… the address of a page"
          aria-label="Address of a page"
          onChange={(event) => {
            setAddress(event.target.value);
          }}
        />
        <button type="submit" className="button" disabled={!isWebAddress(address.trim())}>
          Add page
        </button>
      </form>
      {uploads.length > 0 && (
        <ul className="uploads" aria-label="Uploads">
          {uploads.map((each) => (
            <UploadRow key={each.key} upload={each} forget={forget} />
          ))}
        </ul>
      )}
    </div>
  );
}

const PHASES = { sending: "Sending", reading: "Reading", ready: "Ready", failed: "Failed" };

function UploadRow({ upload, forget }: { upload: Upload; forget: (key: number) => void }) {
  const { name, phase, share, problem } = upload;
  return (
    <li className={`upload ${phase}`}>
      <div className="upload-line">
        <span className="name">
          <Foreign>{name}</Foreign>
        </span>
        <span className="phase" role="status">
          {PHASES[phase]}
        </span>
        {(phase === "ready" || phase === "failed") && (
          <button
            type="button"
            className="button icon-only"
            aria-label={`Remove ${name} from this list`}
            onClick={() => {
              forget(upload.key);
            }}
          >
            <CloseIcon />
          </button>
        )}
      </div>
      {phase === "sending" && <progress value={share} max={1} aria-label={`Sending ${name}`} />}
      {phase === "reading" && <progress aria-label={`Reading ${name}`} />}
      {problem && (
        <p className="why" role="alert">
          <Foreign>{problem.detail}</Foreign> <Foreign>{problem.help}</Foreign>
        </p>
      )}
    </li>
  );
}
