// Addresses of the pages of kept runs. Pure.

export const LIST = '/';

export const reportOf = (name: string) => `/run?${new URLSearchParams({ name })}`;

export const comparisonOf = (before: string, after: string) => `/compare?${new URLSearchParams({ before, after })}`;

export function trendOf(subject: string, label: number | null = null, count: number | null = null): string {
  const query = new URLSearchParams({ subject });
  if (label !== null) query.set('label', String(label));
  if (count !== null) query.set('count', String(count));
  return `/trend?${query}`;
}

/** The name of a file without its folders. */
export const fileName = (path: string) => path.slice(path.lastIndexOf('/') + 1) || path;

/** What a subject is called: the file of a plan, or the whole text. */
export const subjectName = (subject: string) => (subject.startsWith('/') ? fileName(subject) : subject);

/** A text that fits in a line, with its end left out. */
export const short = (text: string, most = 100) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
