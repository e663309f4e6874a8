/** Light or dark: as the system has it, until somebody chooses; remembered in this browser. */
import { useCallback, useState, useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";
const NAME = "upheld-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

function stored(): Theme {
  try {
    const found = localStorage.getItem(NAME);
    return found === "light" || found === "dark" ? found : "system";
  } catch {
    return "system"; // storage is blocked
  }
}

export function applyTheme(theme: Theme = stored()): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

function listen(listener: () => void): () => void {
  system.addEventListener("change", listener);
  return () => {
    system.removeEventListener("change", listener);
  };
}

/** Whether the page is dark, and how to change that. */
export function useTheme(): [boolean, () => void] {
  const [theme, setTheme] = useState(stored);
  const systemIsDark = useSyncExternalStore(listen, () => system.matches);
  const isDark = theme === "system" ? systemIsDark : theme === "dark";
  const toggle = useCallback(() => {
    const next: Theme = isDark ? "light" : "dark";
    try {
      localStorage.setItem(NAME, next);
    } catch {
      // it lasts until the page is closed
    }
    applyTheme(next);
    setTheme(next);
  }, [isDark]);
  return [isDark, toggle];
}
