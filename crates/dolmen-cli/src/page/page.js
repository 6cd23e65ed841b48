"use strict";
// Draws the bodies of a run as wire frames. The data stands in the page as JSON:
// { frames: [t], events: [t], bodies: [{ name, shape, poses }], particles: [{ name, points }] }, poses being x, y, z, qw, qx,
// qy, qz for every frame and points x, y, z; null where a body is not there or its state is not finite.
(() => {
  const data = JSON.parse(document.getElementById("run").textContent);
  const canvas = document.getElementById("view");
  const slider = document.getElementById("time");
  const clock = document.getElementById("clock");
  const button = document.getElementById("play");
  const speed = document.getElementById("speed");
  const context = canvas.getContext("2d");
  const frames = data.frames;
  const span = frames.length > 1 ? frames[frames.length - 1] - frames[0] : 0;
  const palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#a03070", "#8a8a00"];
  const camera = { yaw: -0.9, pitch: 0.35, distance: 3 };
  let frame = 0, playing = false, started = 0, from = 0;

  // -- what there is to see ------------------------------------------------------------------------------

  const extentOf = (list, key, stride) => {
    const box = [[Infinity, -Infinity], [Infinity, -Infinity], [Infinity, -Infinity]];
    for (const item of list) {
      const values = item[key];
      for (let i = 0; i + 2 < values.length; i += stride) {
        for (let k = 0; k < 3; k += 1) {
          const v = values[i + k];
          if (v === null) continue;
          box[k][0] = Math.min(box[k][0], v);
          box[k][1] = Math.max(box[k][1], v);
        }
      }
    }
    return box;
  };
  const halves = (box) => box.map(([lo, hi]) => (lo <= hi ? hi / 2 - lo / 2 : 0));
  const shapeRadius = (shape) => {
    if (!shape) return 0;
    if (shape.kind === "sphere") return shape.radius;
    const points = shape.kind === "box" ? [shape.half] : shape.vertices;
    return Math.max(0, ...points.map((p) => Math.max(...p.map(Math.abs))));
  };
  for (const body of data.bodies) {
    body.moves = Math.max(...halves(extentOf([body], "poses", 7))) > 0;
    body.radius = shapeRadius(body.shape);
  }
  const movers = data.bodies.filter((body) => body.moves);
  const seen = movers.length > 0 || data.particles.length > 0 ? movers : data.bodies;
  const merge = (a, b) => a.map(([lo, hi], k) => [Math.min(lo, b[k][0]), Math.max(hi, b[k][1])]);
  const box = merge(extentOf(seen, "poses", 7), extentOf(data.particles, "points", 3));
  const centre = box.map(([lo, hi]) => (lo <= hi ? lo / 2 + hi / 2 : 0));
  const sizes = seen.map((body) => body.radius).sort((a, b) => a - b);
  let size = Math.max(...halves(box)) + (sizes[Math.floor(sizes.length / 2)] || 0);
  if (!(size > 0) || !Number.isFinite(size)) size = 1;

  // -- wire frames, in units of the view's size ------------------------------------------------------------

  const circle = (u, v, radius) => {
    const line = [];
    for (let i = 0; i <= 32; i += 1) {
      const a = (i / 32) * 2 * Math.PI;
      const p = [0, 0, 0];
      p[u] = radius * Math.cos(a);
      p[v] = radius * Math.sin(a);
      line.push(p);
    }
    return line;
  };
  const boxLines = (h) => {
    const at = (i) => [i & 1 ? h[0] : -h[0], i & 2 ? h[1] : -h[1], i & 4 ? h[2] : -h[2]];
    const lines = [];
    for (let i = 0; i < 8; i += 1) {
      for (const bit of [1, 2, 4]) if (!(i & bit)) lines.push([at(i), at(i | bit)]);
    }
    return lines;
  };
  const cross = (r) => [0, 1, 2].map((k) => [-1, 1].map((s) => [0, 1, 2].map((j) => (j === k ? s * r : 0))));
  const wires = (shape) => {
    const scaled = (p) => p.map((v) => v / size);
    if (!shape) return cross(0.06);
    if (shape.kind === "sphere") {
      const r = shape.radius / size;
      return [circle(0, 1, r), circle(1, 2, r), circle(0, 2, r)];
    }
    if (shape.kind === "box") return boxLines(scaled(shape.half));
    return shape.edges.map(([i, j]) => [scaled(shape.vertices[i]), scaled(shape.vertices[j])]);
  };
  let next = 0;
  for (const body of data.bodies) {
    body.lines = wires(body.shape);
    body.colour = body.moves || movers.length === 0 ? palette[next++ % palette.length] : "still";
  }
  data.particles.forEach((particle) => { particle.colour = palette[next % palette.length]; });

  // -- projection ------------------------------------------------------------------------------------------

  // v + 2w (u × v) + 2 u × (u × v), for the unit quaternion (w, u).
  const rotate = (q, v) => {
    const [w, x, y, z] = q;
    const a = [y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0]];
    const b = [y * a[2] - z * a[1], z * a[0] - x * a[2], x * a[1] - y * a[0]];
    return [0, 1, 2].map((k) => v[k] + 2 * (w * a[k] + b[k]));
  };
  // World to eye: x to the right, y up, z towards the viewer.
  const toEye = (p) => {
    const [sy, cy, sp, cp] = [Math.sin(camera.yaw), Math.cos(camera.yaw), Math.sin(camera.pitch), Math.cos(camera.pitch)];
    const [right, away] = [-sy * p[0] + cy * p[1], -cy * p[0] - sy * p[1]];
    return [right, sp * away + cp * p[2], sp * p[2] - cp * away];
  };
  const NEAR = 0.02;
  const segment = (a, b, view) => {
    let [p, q] = [a, b];
    let [dp, dq] = [camera.distance - p[2], camera.distance - q[2]];
    if (dp < NEAR && dq < NEAR) return;
    const cut = (inside, di, outside, d) => {
      const s = (di - NEAR) / (di - d);
      return inside.map((v, k) => v + s * (outside[k] - v));
    };
    if (dp < NEAR) { p = cut(q, dq, p, dp); dp = NEAR; }
    if (dq < NEAR) { q = cut(p, dp, q, dq); dq = NEAR; }
    context.moveTo(view.x + (view.f * p[0]) / dp, view.y - (view.f * p[1]) / dp);
    context.lineTo(view.x + (view.f * q[0]) / dq, view.y - (view.f * q[1]) / dq);
  };
  const shift = (values, i) => [0, 1, 2].map((k) => (values[i + k] - centre[k]) / size);

  // -- drawing ---------------------------------------------------------------------------------------------

  const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const drawBody = (body, view, still) => {
    const i = 7 * frame;
    if (body.poses.slice(i, i + 7).includes(null) || body.poses.length < i + 7) return;
    const at = shift(body.poses, i);
    const q = body.poses.slice(i + 3, i + 7);
    context.strokeStyle = body.colour === "still" ? still : body.colour;
    context.lineWidth = body.colour === "still" ? 1 : 1.6;
    context.beginPath();
    for (const line of body.lines) {
      const eye = line.map((v) => toEye(rotate(q, v).map((u, k) => u + at[k])));
      for (let k = 1; k < eye.length; k += 1) segment(eye[k - 1], eye[k], view);
    }
    context.stroke();
  };
  const drawParticle = (particle, view) => {
    if (particle.points.slice(3 * frame, 3 * frame + 3).includes(null)) return;
    const p = toEye(shift(particle.points, 3 * frame));
    const d = camera.distance - p[2];
    if (!(d > NEAR)) return;
    context.fillStyle = particle.colour;
    context.fillRect(view.x + (view.f * p[0]) / d - 1.5, view.y - (view.f * p[1]) / d - 1.5, 3, 3);
  };
  const drawAxes = (height, ink) => {
    context.strokeStyle = ink;
    context.fillStyle = ink;
    context.lineWidth = 1.2;
    ["x", "y", "z"].forEach((name, k) => {
      const e = toEye([0, 1, 2].map((j) => (j === k ? 1 : 0)));
      context.beginPath();
      context.moveTo(45, height - 45);
      context.lineTo(45 + 26 * e[0], height - 45 - 26 * e[1]);
      context.stroke();
      context.fillText(name, 45 + 36 * e[0] - 3, height - 45 - 36 * e[1] + 4);
    });
  };
  // Events are ticks along the lower edge, on a line of time with a mark for now.
  const drawEvents = (w, h, soft, ink) => {
    if (!data.events.length || !(span > 0)) return;
    const tick = (t, length, colour) => {
      context.strokeStyle = colour;
      context.beginPath();
      context.moveTo((w * (t - frames[0])) / span, h);
      context.lineTo((w * (t - frames[0])) / span, h - length);
      context.stroke();
    };
    context.lineWidth = 1;
    for (const t of data.events) tick(t, 8, soft);
    context.lineWidth = 2;
    tick(frames[frame], 14, ink);
  };
  const draw = () => {
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = Math.max(1, Math.round(w * ratio));
    canvas.height = Math.max(1, Math.round(h * ratio));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = "13px sans-serif";
    const view = { x: w / 2, y: h / 2, f: 1.1 * Math.min(w, h) };
    const still = colourOf("still");
    for (const body of data.bodies) drawBody(body, view, still);
    for (const particle of data.particles) drawParticle(particle, view);
    drawAxes(h, colourOf("soft"));
    drawEvents(w, h, colourOf("soft"), colourOf("ink"));
    clock.textContent = "t = " + (frames.length ? Number(frames[frame].toPrecision(5)) : 0) + " s";
    slider.value = String(frame);
  };

  // -- time ------------------------------------------------------------------------------------------------

  // Real time when that is bearable, else ten seconds for the whole run.
  const base = span >= 1 && span <= 60 ? 1 : span / 10;
  for (const factor of [0.1, 0.25, 0.5, 1, 2, 4, 10]) {
    const option = document.createElement("option");
    option.value = String(factor);
    option.textContent = "×" + factor + (factor === 1 && base === 1 ? " (real time)" : "");
    option.selected = factor === 1;
    speed.append(option);
  }
  const restart = () => { started = performance.now(); from = frames.length ? frames[frame] : 0; };
  const show = (n) => { frame = Math.max(0, Math.min(frames.length - 1, n)); draw(); };
  const setPlaying = (on) => {
    playing = on && span > 0;
    button.textContent = playing ? "Pause" : "Play";
    if (!playing) return;
    if (frame === frames.length - 1) frame = 0;
    restart();
    requestAnimationFrame(tick);
  };
  const tick = () => {
    if (!playing) return;
    const t = from + ((performance.now() - started) / 1000) * base * Number(speed.value);
    let n = frame;
    while (n + 1 < frames.length && frames[n + 1] <= t) n += 1;
    if (n !== frame) show(n);
    if (n === frames.length - 1) setPlaying(false);
    else requestAnimationFrame(tick);
  };
  slider.max = String(Math.max(0, frames.length - 1));
  slider.addEventListener("input", () => { show(Number(slider.value)); restart(); });
  speed.addEventListener("change", restart);
  button.addEventListener("click", () => setPlaying(!playing));
  canvas.addEventListener("keydown", (event) => {
    if (event.key === " ") { event.preventDefault(); setPlaying(!playing); }
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      show(frame + (event.key === "ArrowLeft" ? -1 : 1));
      restart();
    }
  });

  // -- the eye ---------------------------------------------------------------------------------------------

  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    held = [event.clientX, event.clientY];
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) return;
    camera.yaw -= (event.clientX - held[0]) * 0.008;
    camera.pitch = Math.max(-1.55, Math.min(1.55, camera.pitch + (event.clientY - held[1]) * 0.008));
    held = [event.clientX, event.clientY];
    draw();
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { held = null; });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    camera.distance = Math.max(0.05, Math.min(200, camera.distance * Math.exp(event.deltaY * 0.0012)));
    draw();
  }, { passive: false });
  window.addEventListener("resize", draw);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

  // -- names -----------------------------------------------------------------------------------------------

  const names = document.getElementById("names");
  const entry = (text, colour) => {
    const item = document.createElement("li");
    const line = document.createElement("i");
    line.style.borderColor = colour;
    item.append(line, text);
    names.append(item);
  };
  data.bodies.slice(0, 8).forEach((body) => entry(body.name, body.colour === "still" ? "var(--still)" : body.colour));
  if (data.bodies.length > 8) entry("… and " + (data.bodies.length - 8) + " more", "transparent");
  if (data.particles.length) entry(data.particles.length + " particles", data.particles[0].colour);
  draw();
  // A moving picture moves by itself, unless the reader has asked for less motion.
  if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) setPlaying(true);
})();
