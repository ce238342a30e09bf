// Numbers, times and errors for people. Pure.

const group = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export const DASH = '–';

export function count(value: number | null | undefined): string {
  return value === null || value === undefined || !Number.isFinite(value) ? DASH : group.format(value);
}

/** Three significant digits, or all digits of a large whole number. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  const size = Math.abs(value);
  if (size >= 999.5) return group.format(value);
  if (size >= 99.95) return value.toFixed(0);
  if (size >= 9.995) return value.toFixed(1);
  if (size >= 0.01 || size === 0) return value.toFixed(2);
  return value.toPrecision(2);
}

/** Milliseconds with their unit; seconds from 10,000 ms. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return DASH;
  return ms >= 9999.5 ? `${figure(ms / 1000)} s` : `${figure(ms)} ms`;
}

/** A time axis in milliseconds: `2 ms`, `1.5 s`. */
export function axisMs(ms: number): string {
  if (ms >= 1000) return `${trim(ms / 1000)} s`;
  return ms > 0 && ms < 0.1 ? `${trim(ms * 1000)} µs` : `${trim(ms)} ms`;
}

function trim(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** A number of an axis: `2k`, `1.5M`. */
export function axisNumber(value: number): string {
  if (value >= 1e9) return `${trim(value / 1e9)}G`;
  if (value >= 1e6) return `${trim(value / 1e6)}M`;
  if (value >= 1e4) return `${trim(value / 1e3)}k`;
  return trim(value);
}

export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let at = 0;
  let size = value;
  while (size >= 1000 && at < units.length - 1) {
    size /= 1024;
    at += 1;
  }
  return `${at === 0 ? size.toFixed(0) : figure(size)} ${units[at] ?? ''}`;
}

/** Bytes of an axis, in units of 1,024. */
export function axisBytes(value: number): string {
  const unit = value >= 1024 ** 3 ? 3 : value >= 1024 ** 2 ? 2 : value >= 1024 ? 1 : 0;
  return `${trim(value / 1024 ** unit)} ${['B', 'KB', 'MB', 'GB'][unit] ?? ''}`;
}

/** 1, 2, 5, 10 … 500 of each unit of bytes. */
export const BYTE_STEPS = [0, 1, 2, 3].flatMap((unit) => [1, 2, 5, 10, 20, 50, 100, 200, 500].map((step) => step * 1024 ** unit));

export function percent(part: number, of: number): string {
  if (of === 0) return DASH;
  const value = (100 * part) / of;
  if (value === 0) return '0 %';
  if (value < 0.01) return '< 0.01 %';
  if (value === 100) return '100 %';
  return `${value >= 99.995 && part < of ? '> 99.99' : value.toFixed(value < 10 ? 2 : 1)} %`;
}

/** A share of one in percent. */
export function share(value: number | null | undefined): string {
  return value === null || value === undefined ? DASH : `${figure(100 * value)} %`;
}

/** `1:02:03`, `2:03`, `7.5 s`. */
export function span(seconds: number): string {
  if (seconds < 60) return `${Number(seconds.toFixed(seconds < 10 ? 1 : 0))} s`;
  const whole = Math.round(seconds);
  const two = (value: number) => String(value).padStart(2, '0');
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** Local time of day, with milliseconds on request. */
export function clock(ms: number, withMs = false): string {
  const time = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  const text = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  return withMs ? `${text}.${String(time.getMilliseconds()).padStart(3, '0')}` : text;
}

/** Axis times: without seconds if the steps are whole minutes. */
export function axisClock(ms: number, stepMs: number): string {
  return stepMs >= 60_000 ? clock(ms).slice(0, 5) : clock(ms);
}

/** A day with the time to the second. */
export function date(ms: number): string {
  const time = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clock(ms)}`;
}

/** A day with the time to the minute. */
export const minute = (ms: number) => date(ms).slice(0, 16);

/** What an error says. */
export const errorText = (error: unknown) => (error instanceof Error ? error.message : String(error));
