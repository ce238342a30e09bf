// Reads a report's document, which the page contains as gzip in base64.

import { SCHEMA, type PageDocument, type StudyDocument } from './document';

/** The bytes of a base64 text. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64.trim());
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** Reads the document that was packed into a page. */
export async function unpack(base64: string): Promise<PageDocument | StudyDocument> {
  const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream('gzip'));
  return checked(JSON.parse(await new Response(stream).text()));
}

/** Rejects data of another schema version. */
export function checked(value: unknown): PageDocument | StudyDocument {
  const schema = (value as { schema?: unknown } | null)?.schema;
  if (schema !== SCHEMA) throw new Error(`unsupported data schema ${String(schema)} (this page reads ${SCHEMA}): reload the page`);
  return value as PageDocument | StudyDocument;
}
