// Buckets of the page's histograms: 16 per octave, over whole microseconds. A value is off by at most 1/32.

const OCTAVE_BITS = 4;

/** Lower and upper bound of a bucket, in microseconds. */
export function bounds(bucket: number): [number, number] {
  const shift = Math.max(0, (bucket >> OCTAVE_BITS) - 1);
  const width = 2 ** shift;
  const low = (bucket - (shift << OCTAVE_BITS)) * width;
  return [low, low + width];
}

/** The middle of a bucket in milliseconds. */
export function middleMs(bucket: number): number {
  const [low, next] = bounds(bucket);
  return (low + next - 1) / 2000;
}

/** Counts by bucket, merged from cells. */
export class Histogram {
  readonly counts = new Map<number, number>();
  total = 0;

  add(bucket: number, times: number): void {
    this.counts.set(bucket, (this.counts.get(bucket) ?? 0) + times);
    this.total += times;
  }

  /** Buckets in rising order. */
  sorted(): [number, number][] {
    return [...this.counts].sort((a, b) => a[0] - b[0]);
  }

  /** Values in milliseconds at rising quantiles; null if there is no value. */
  quantiles(quantiles: readonly number[]): (number | null)[] {
    const buckets = this.sorted();
    let at = 0;
    let below = 0;
    return quantiles.map((quantile) => {
      const rank = Math.max(1, Math.ceil(quantile * this.total));
      while (at < buckets.length) {
        const [bucket, times] = buckets[at] as [number, number];
        if (below + times >= rank) return middleMs(bucket);
        below += times;
        at += 1;
      }
      return null;
    });
  }
}
