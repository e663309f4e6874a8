/** Server-sent events from a `fetch`; `EventSource` cannot send a question. */

export interface SentEvent {
  name: string;
  data: unknown;
}

/** Cuts a stream into events, wherever its chunks end. */
export class EventParser {
  private rest = "";

  push(chunk: string): SentEvent[] {
    // A "\r" at the end may be the first half of a line break.
    const text = (this.rest + chunk).replace(/\r\n/g, "\n");
    const blocks = text.split("\n\n");
    this.rest = blocks.pop() ?? "";
    return blocks.flatMap(parse);
  }
}

function parse(block: string): SentEvent[] {
  let name = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return data.length === 0 ? [] : [{ name, data: JSON.parse(data.join("\n")) as unknown }];
}

export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<SentEvent> {
  const parser = new EventParser();
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
