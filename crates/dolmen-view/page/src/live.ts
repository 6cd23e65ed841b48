// Frames from the server, over a socket that comes back by itself.

import {
  type Command, type Curves, type Described, eventOf, type EventJson, type EventRow, type Frame, FrameReader, type Mistake, type Quantity, type Source,
  type Vec3, type World,
} from "./protocol";

/** Waits between attempts to come back, ms. */
const WAITS = [300, 700, 1500, 3000, 5000];

export class LiveSource implements Source {
  readonly live = true;
  onWorld: (world: World) => void = () => {};
  onFrame: (frame: Frame) => void = () => {};
  onBeside: (frame: Frame) => void = () => {};
  onEvents: (events: EventRow[], from: number) => void = () => {};
  onStop: (text: string) => void = () => {};
  onNote: (text: string) => void = () => {};
  onViolation: (text: string) => void = () => {};
  onConnection: (state: "open" | "lost" | "refused") => void = () => {};
  onText: (text: string | null) => void = () => {};
  onEdited: (mistakes: Mistake[]) => void = () => {};
  onFile: (name: string, text: string | null, error: string | null) => void = () => {};

  private socket: WebSocket | null = null;
  private attempts = 0;
  private generation = -1;
  private reader = new FrameReader();
  private centre: Vec3 = [0, 0, 0];
  private besideReader = new FrameReader();
  private beside: Described | null = null;
  private known = 0;
  private asking = false;
  private plots = new Map<number, (curves: Curves | null) => void>();
  private nextPlot = 1;

  start(): void {
    const url = new URL("socket", window.location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    [this.reader, this.besideReader] = [new FrameReader(), new FrameReader()];
    socket.onopen = () => {
      this.attempts = 0;
      this.asking = false;
      this.onConnection("open");
    };
    socket.onmessage = (message) => {
      if (typeof message.data === "string") this.takeText(message.data);
      else this.takeBytes(message.data as ArrayBuffer);
    };
    socket.onclose = (event) => {
      this.socket = null;
      for (const done of this.plots.values()) done(null);
      this.plots.clear();
      this.onConnection(event.code === 1008 ? "refused" : "lost");
      const wait = WAITS[Math.min(this.attempts, WAITS.length - 1)];
      this.attempts += 1;
      window.setTimeout(() => this.start(), wait);
    };
  }

  send(command: Command): void {
    this.post(command);
  }

  drawn(): void {
    this.post({ do: "ready" });
  }

  plot(body: number | null, quantities: Quantity[], beside = false): Promise<Curves | null> {
    const id = this.nextPlot;
    this.nextPlot = (this.nextPlot + 1) % 1_000_000;
    if (!this.post({ do: "plot", id, body, quantities, beside })) return Promise.resolve(null);
    return new Promise((done) => this.plots.set(id, done));
  }

  private post(message: object): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  private takeText(text: string): void {
    const message = JSON.parse(text) as { type: string; generation: number };
    if (message.type === "world") {
      const world = message as unknown as World;
      this.generation = world.generation;
      this.centre = world.centre ?? [0, 0, 0];
      this.beside = world.beside ?? null;
      this.known = 0;
      this.asking = false;
      this.onWorld(world);
    } else if (message.type === "edited") {
      // Of the generation that it began, which may not be known yet.
      this.onEdited((message as unknown as { errors: Mistake[] }).errors);
    } else if (message.generation !== this.generation) {
      return;
    } else if (message.type === "stop") {
      this.onStop((message as unknown as { text: string }).text);
    } else if (message.type === "violated") {
      this.onViolation((message as unknown as { text: string }).text);
    } else if (message.type === "text") {
      this.onText((message as unknown as { text: string | null }).text);
    } else if (message.type === "file") {
      const { name, text, error } = message as unknown as { name: string; text: string | null; error: string | null };
      this.onFile(name, text, error);
    } else if (message.type === "note") {
      this.onNote((message as unknown as { text: string }).text);
    } else if (message.type === "events") {
      const { from, events } = message as unknown as { from: number; events: EventJson[] };
      this.asking = false;
      if (from !== this.known) return;
      this.known += events.length;
      this.onEvents(events.map(eventOf), from);
    }
  }

  private takeBytes(bytes: ArrayBuffer): void {
    const kind = new Float64Array(bytes, 0, 1)[0];
    if (kind === 2) {
      const head = new Float64Array(bytes, 0, 5);
      const [id, points, curves] = [head[2], head[3], head[4]];
      const all = new Float64Array(bytes, 40);
      const values = Array.from({ length: curves }, (_, i) => all.subarray(points * (i + 1), points * (i + 2)));
      this.plots.get(id)?.({ times: all.subarray(0, points), values });
      this.plots.delete(id);
      return;
    }
    if (kind === 3) {
      const frame = this.besideReader.read(bytes, this.beside?.centre ?? [0, 0, 0]);
      if (frame.generation === this.beside?.generation) this.onBeside(frame);
      return;
    }
    const frame = this.reader.read(bytes, this.centre);
    if (frame.generation !== this.generation) {
      this.drawn();
      return;
    }
    if (frame.events > this.known && !this.asking) {
      this.asking = this.post({ do: "events", from: this.known });
    }
    this.onFrame(frame);
  }
}
