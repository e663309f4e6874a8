/** Light, dark, or as the system has it; remembered in this browser. */
import { useCallback, useState } from "react";

export type Theme = "system" | "light" | "dark";
const NAME = "upheld-theme";

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

export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState(stored);
  const toggle = useCallback(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const shown = theme === "system" ? (dark ? "dark" : "light") : theme;
    const next: Theme = shown === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(NAME, next);
    } catch {
      // it lasts until the page is closed
    }
    applyTheme(next);
    setTheme(next);
  }, [theme]);
  return [theme, toggle];
}
