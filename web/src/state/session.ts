/** Who is logged in; null until that is known. */
import { createContext, useContext } from "react";

import type { SessionView } from "../api/types";

export interface SessionState {
  session: SessionView;
  logOut: () => void;
}

export const SessionContext = createContext<SessionState | null>(null);

export function useSession(): SessionState {
  const found = useContext(SessionContext);
  if (found === null) throw new Error("There is no session above this view.");
  return found;
}

/** Heard by the page when a request finds that the session has ended. */
export const LOGGED_OUT = "upheld:logged-out";
