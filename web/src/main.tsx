import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { App } from "./app";
import { applyTheme } from "./state/theme";
import "./styles/index.css";

applyTheme();
const place = document.getElementById("page");
if (place === null) throw new Error("There is no place for the page.");
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
