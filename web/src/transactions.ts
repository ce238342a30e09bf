// Transactions with their parts: which part takes the time of a transaction.

import type { PageDocument, Row, Transaction } from './document';

/** A row of the table: a transaction, or a part of the transaction above. */
export interface Line {
  row: Row;
  is_part: boolean;
  /** Share of the transaction's time, 0 to 1; null if unknown. */
  share: number | null;
}

const key = (label: string, transaction: boolean) => `${transaction ? 't' : 's'} ${label}`;

/** Transactions with figures, each with those of its parts that have figures. */
export function lines(transactions: Transaction[], rows: Row[]): Line[] {
  const by = new Map(rows.map((row) => [key(row.label, row.transaction), row]));
  const uses = new Map<string, number>();
  for (const part of transactions.flatMap((transaction) => transaction.parts)) {
    uses.set(key(part.label, part.transaction), (uses.get(key(part.label, part.transaction)) ?? 0) + 1);
  }
  const out: Line[] = [];
  const seen = new Set<string>();
  for (const { label, parts } of transactions) {
    const row = by.get(key(label, true));
    const found = parts.map((part) => by.get(key(part.label, part.transaction))).filter((part) => part !== undefined);
    if (!row || found.length === 0 || seen.has(label)) continue;
    seen.add(label);
    out.push({ row, is_part: false, share: null });
    const time = row.samples * row.mean_ms;
    for (const part of found) {
      // If a label occurs in several places, it is unknown which of its samples belong to this transaction.
      const is_here = uses.get(key(part.label, part.transaction)) === 1;
      const share = (part.samples * part.mean_ms) / time;
      out.push({ row: part, is_part: true, share: is_here && Number.isFinite(share) && share <= 1.0001 ? share : null });
    }
  }
  return out;
}

/** Whether a document has transactions to show. */
export function has(doc: PageDocument): boolean {
  return lines(doc.transactions ?? [], doc.labels).length > 0;
}
