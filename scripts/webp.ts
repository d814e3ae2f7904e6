/** Makes WebP pictures smaller than Chrome writes them. */

const HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;

/** Removes everything but the pixels. Chrome adds a colour profile of 456 bytes, which says sRGB, the default. */
export function withoutProfile(webp: Uint8Array): Buffer {
  const file = Buffer.from(webp);
  for (let at = HEADER_BYTES; at + CHUNK_HEADER_BYTES <= file.length; ) {
    const size = file.readUInt32LE(at + 4);
    // Chunks have even lengths.
    const end = at + CHUNK_HEADER_BYTES + size + (size % 2);
    if (/^VP8[ L]$/.test(file.toString('latin1', at, at + 4))) {
      const header = Buffer.from('RIFF____WEBP', 'latin1');
      header.writeUInt32LE(end - at + 4, 4);
      return Buffer.concat([header, file.subarray(at, end)]);
    }
    at = end;
  }
  throw new Error('The file has no pixels of a WebP picture.');
}
