/** The frame around every view: who you are, where you are, and how the page looks. */
import { useCallback, useEffect, useMemo, useState } from "react";

import { asProblem, ProblemError, request } from "./api/client";
import type { Problem, SessionView } from "./api/types";
import { Link, ProblemNote, Waiting } from "./parts/basics";
import { ThemeIcon, VerdictMark } from "./parts/icons";
import { parseRoute, usePath, type Route } from "./state/router";
import { LOGGED_OUT, SessionContext } from "./state/session";
import { useTheme } from "./state/theme";
import { AskView } from "./views/ask";
import { CheckView } from "./views/check";
import { CompareView } from "./views/compare";
import { OneDocumentView } from "./views/document";
import { DocumentsView } from "./views/documents";
import { HistoryView } from "./views/history";
import { InsideView } from "./views/inside";
import { LoginView } from "./views/login";
import { ReadView } from "./views/read";
import { ReviewView } from "./views/review";

type Known = { session: SessionView } | { problem: Problem } | "stranger" | "asking";

export function App() {
  const [known, setKnown] = useState<Known>("asking");
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let left = false;
    whoIsThere().then((found) => {
      if (!left) setKnown(found);
    }, ignore);
    const out = (): void => {
      setKnown("stranger");
    };
    window.addEventListener(LOGGED_OUT, out);
    return () => {
      left = true;
      window.removeEventListener(LOGGED_OUT, out);
    };
  }, [turn]);
  const again = useCallback(() => {
    setTurn((count) => count + 1);
  }, []);
  const logOut = useCallback(() => {
    request("/v1/session", { method: "DELETE" }).then(() => {
      setKnown("stranger");
    }, again);
  }, [again]);
  const session = typeof known === "object" && "session" in known ? known.session : null;
  const state = useMemo(() => (session ? { session, logOut } : null), [session, logOut]);
  const { path, visit } = usePath();
  const route = parseRoute(path);
  useEffect(() => {
    document.title = `${TITLES[route.view]} · Upheld`;
    // Whoever followed a link that is gone now goes on at the beginning of the new view.
    const left = document.activeElement;
    if (left === null || left === document.body) document.getElementById("main")?.focus();
  }, [visit, route.view]);
  return (
    <SessionContext value={state}>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Top route={route} session={session} logOut={logOut} />
      <main id="main" tabIndex={-1}>
        {known === "asking" && <Waiting>Opening</Waiting>}
        {known === "stranger" && <LoginView loggedIn={again} />}
        {typeof known === "object" && "problem" in known && (
          <ProblemNote problem={known.problem} retry={again} />
        )}
        {session && <View route={route} key={visit} />}
      </main>
      <footer className="foot">
        <a href="/docs">For programs</a>
        <a href="/licenses.md">Licences</a>
      </footer>
    </SessionContext>
  );
}

async function whoIsThere(): Promise<Known> {
  try {
    const reply = await request("/v1/session");
    return { session: (await reply.json()) as SessionView };
  } catch (error) {
    if (error instanceof ProblemError && error.problem.status === 401) return "stranger";
    return { problem: asProblem(error) };
  }
}

function ignore(): void {
  // `whoIsThere` tells its own failures
}

function View({ route }: { route: Route }) {
  switch (route.view) {
    case "ask":
      return <AskView />;
    case "read":
      return <ReadView collection={route.collection} id={route.id} />;
    case "inside":
      return <InsideView collection={route.collection} id={route.id} />;
    case "check":
      return <CheckView />;
    case "documents":
      return <DocumentsView collection={route.collection} />;
    case "document":
      return <OneDocumentView collection={route.collection} id={route.id} />;
    case "history":
      return <HistoryView />;
    case "review":
      return <ReviewView collection={route.collection} />;
    case "compare":
      return <CompareView />;
    case "unknown":
      return (
        <section className="empty">
          <h1>There is nothing here</h1>
          <Link className="button" to="/">
            Go to the start
          </Link>
        </section>
      );
  }
}

const TITLES: Record<Route["view"], string> = {
  ask: "Ask",
  read: "Answer",
  inside: "Look inside",
  check: "Check",
  documents: "Documents",
  document: "Document",
  history: "History",
  review: "Judge",
  compare: "Compare",
  unknown: "Nothing here",
};

const PLACES: [string, string, Route["view"][]][] = [
  ["/", "Ask", ["ask", "read", "inside", "compare"]],
  ["/check", "Check", ["check"]],
  ["/documents", "Documents", ["documents", "document"]],
  ["/history", "History", ["history"]],
  ["/review", "Judge", ["review"]],
];

interface TopProps {
  route: Route;
  session: SessionView | null;
  logOut: () => void;
}

function Top({ route, session, logOut }: TopProps) {
  const [isDark, toggle] = useTheme();
  return (
    <header className="top">
      <Link to="/" className="brand">
        <VerdictMark support="supported" />
        Upheld
      </Link>
      {session && (
        <nav aria-label="Views">
          {PLACES.map(([to, name, views]) => (
            <Link key={to} to={to} current={views.includes(route.view)}>
              {name}
            </Link>
          ))}
        </nav>
      )}
      <div className="tools">
        {session && !session.dev && (
          <button type="button" className="as-link" onClick={logOut} title={`Key ${session.key}`}>
            Log out
          </button>
        )}
        <button
          type="button"
          className="button icon-only"
          aria-label={isDark ? "Light colours" : "Dark colours"}
          onClick={toggle}
        >
          <ThemeIcon />
        </button>
      </div>
    </header>
  );
}
