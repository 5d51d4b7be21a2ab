import type { RegionStatusName } from '@probe-mesh/contracts/check/check'
import type { ShownStatus } from '../model/freshness.ts'
import type { Tone } from './line.ts'

/** The signs of a terminal that draws them all, or of one that only has ASCII. */
export type Symbols = {
  region: Readonly<Record<RegionStatusName, string>>
  cursor: string
  more: string
  none: string
  /** From low to high. */
  bars: readonly string[]
}

const unicode: Symbols = {
  region: { up: '✓', down: '✗', blocked: '▲', stale: '…', unknown: '?' },
  cursor: '›',
  more: '…',
  none: '·',
  bars: ['▁', '▂', '▃', '▅', '▇'],
}

const ascii: Symbols = {
  region: { up: '+', down: 'x', blocked: '!', stale: '~', unknown: '?' },
  cursor: '>',
  more: '~',
  none: '.',
  bars: ['_', '.', '-', '=', '#'],
}

/** By the locale, as every program does; the console of Linux lacks most of the signs. */
export const symbolsOf = (environment: Readonly<Record<string, string | undefined>>): Symbols => {
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || ''
  const isUnicode = /utf-?8/i.test(locale) && environment['TERM'] !== 'linux'
  return isUnicode ? unicode : ascii
}

/** Beside the sign, so that neither colour nor a font is needed. */
export const letters: Readonly<Record<RegionStatusName, string>> = {
  up: 'U',
  down: 'D',
  blocked: 'B',
  stale: 'S',
  unknown: 'N',
}

export const words: Readonly<Record<RegionStatusName, string>> = {
  up: 'up',
  down: 'down',
  blocked: 'blocked',
  stale: 'stale',
  unknown: 'no data',
}

export const regionTone: Readonly<Record<RegionStatusName, Tone>> = {
  up: 'good',
  down: 'bad',
  blocked: 'warn',
  stale: 'warn',
  unknown: 'dim',
}

export const statusTone: Readonly<Record<ShownStatus, Tone>> = {
  operational: 'good',
  down: 'bad',
  degraded: 'warn',
  stale: 'warn',
  unknown: 'dim',
  paused: 'dim',
}
