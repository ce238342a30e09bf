// The document of a report: gzip and base64 in the page itself.

import { SCHEMA, type PageDocument, type StudyDocument } from './document';

/** The text in a page that was packed into it. */
export async function unpack(base64: string): Promise<PageDocument | StudyDocument> {
  const bytes = Uint8Array.from(atob(base64.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return checked(JSON.parse(await new Response(stream).text()));
}

/** Refuses data of another version of the program. */
export function checked(value: unknown): PageDocument | StudyDocument {
  const schema = (value as { schema?: unknown } | null)?.schema;
  if (schema !== SCHEMA) throw new Error(`unsupported data schema ${String(schema)} (this page reads ${SCHEMA}): reload the page`);
  return value as PageDocument | StudyDocument;
}
