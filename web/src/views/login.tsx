/** A key is sent once, and exchanged for a cookie that scripts cannot read. */
import { useState } from "react";

import { asProblem, request } from "../api/client";
import type { Problem } from "../api/types";
import { ProblemNote } from "../parts/basics";

export function LoginView({ loggedIn }: { loggedIn: () => void }) {
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const logIn = async (): Promise<void> => {
    setBusy(true);
    try {
      const headers = { Authorization: `Bearer ${key.trim()}` };
      await request("/v1/session", { method: "POST", headers });
      setKey("");
      loggedIn();
    } catch (error) {
      const found = asProblem(error);
      const help = "Copy the whole key: it begins with uph_ and may have expired or been revoked.";
      setProblem(found.status === 401 ? { ...found, detail: "This key is not valid.", help } : found);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="login">
      <h1>Welcome to Upheld</h1>
      <p className="lead">Answers in which every sentence shows its source.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void logIn();
        }}
      >
        <label htmlFor="key">Your key</label>
        <input
          id="key"
          type="password"
          autoComplete="off"
          placeholder="uph_…"
          value={key}
          onChange={(event) => {
            setKey(event.target.value);
          }}
        />
        <button type="submit" className="button main" disabled={busy || key.trim() === ""}>
          Log in
        </button>
      </form>
      {problem && <ProblemNote problem={problem} />}
      <p className="quiet">
        The person who runs this service gives you a key. It is not stored in this browser.
      </p>
    </section>
  );
}
