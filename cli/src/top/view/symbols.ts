import type { RegionStatusName } from '@probe-mesh/contracts/check/check'
import { isUtf8Terminal } from '../../show/display.ts'
import type { Context } from '../../terminal/context.ts'
import type { ShownStatus } from '../model/freshness.ts'
import type { Tone } from './line.ts'

/** The signs of a terminal with all glyphs, or with ASCII only. */
export type Symbols = {
  isUtf8: boolean
  region: Readonly<Record<RegionStatusName, string>>
  cursor: string
  more: string
  none: string
  /** From low to high. */
  bars: readonly string[]
}

const unicode: Symbols = {
  isUtf8: true,
  region: { up: '✓', down: '✗', blocked: '▲', stale: '…', unknown: '?' },
  cursor: '›',
  more: '…',
  none: '·',
  bars: ['▁', '▂', '▃', '▅', '▇'],
}

const ascii: Symbols = {
  isUtf8: false,
  region: { up: '+', down: 'x', blocked: '!', stale: '~', unknown: '?' },
  cursor: '>',
  more: '~',
  none: '.',
  bars: ['_', '.', '-', '=', '#'],
}

/** By the terminal, like the marks of other commands. */
export const symbolsOf = (environment: Context['environment']): Symbols =>
  isUtf8Terminal(environment) ? unicode : ascii

/** Next to the sign, so that neither colour nor font matters. */
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
