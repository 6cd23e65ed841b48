// Columns of packed numbers: see export/columns.rs.

/** What is in a text of base64. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.trim());
  const bytes = new Uint8Array(plain.length);
  for (let i = 0; i < plain.length; i += 1) bytes[i] = plain.charCodeAt(i);
  return bytes;
}

/** Unpacks a zlib stream. */
export async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads columns one after the other. */
export class Columns {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** Puts the bytes of numbers together: the lowest of all come first, into the `from`-th of `width`. */
  private join(count: number, width: number, from: number): Uint8Array {
    const joined = new Uint8Array(width * count);
    for (let k = from; k < width; k += 1) {
      for (let i = 0; i < count; i += 1) joined[width * i + k] = this.bytes[this.at + i];
      this.at += count;
    }
    return joined;
  }

  exact(count: number): Float64Array {
    return new Float64Array(this.join(count, 8, 0).buffer);
  }

  rough(count: number): Float32Array {
    return new Float32Array(this.join(count, 4, 1).buffer);
  }

  whole(count: number): Int32Array {
    const values = new Int32Array(this.join(count, 4, 0).buffer);
    let sum = 0;
    for (let i = 0; i < count; i += 1) {
      sum = (sum + ((values[i] >>> 1) ^ -(values[i] & 1))) | 0;
      values[i] = sum;
    }
    return values;
  }
}
