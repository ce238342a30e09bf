// The axis of percentiles: a step for 0 to 50 %, one to 90 %, then one for each nine. Pure.

/** -log10(1 - q) of the median. */
const OF_MEDIAN = Math.log10(2);

/** How far to the right that many nines are: 1 for the median, 2 for 90 %, 3 for 99 %. */
export function place(nines: number): number {
  if (nines < OF_MEDIAN) return nines / OF_MEDIAN;
  return nines < 1 ? 1 + (nines - OF_MEDIAN) / (1 - OF_MEDIAN) : nines + 1;
}

/** The nines of a place. */
export function ninesAt(place: number): number {
  if (place < 1) return place * OF_MEDIAN;
  return place < 2 ? OF_MEDIAN + (place - 1) * (1 - OF_MEDIAN) : place - 1;
}

/** Nines of a quantile: 1 of 90 %, 2 of 99 %. */
export const nines = (quantile: number) => -Math.log10(1 - quantile);

/** The quantile of a place. */
export const quantileAt = (x: number) => 1 - 10 ** -ninesAt(x);
