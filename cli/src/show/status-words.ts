import type { Evidence, ServiceStatus } from '@probe-mesh/contracts/outage/answers'
import type { CheckStatus, RegionStatusName } from '@probe-mesh/contracts/check/check'
import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import { paint } from '../terminal/paint.ts'
import type { Display } from './display.ts'
import { wrapWords } from './fit-width.ts'
import type { Cell, Style } from './table.ts'

export type StatusWord =
  | CheckStatus
  | RegionStatusName
  | Verdict
  | ServiceStatus
  | 'paused'
  | 'answers'
  | 'serves_a_file'

type Sign = { glyph: string; ascii: string; style: Style }

const good: Sign = { glyph: '●', ascii: '*', style: 'green' }
const bad: Sign = { glyph: '✗', ascii: 'x', style: 'red' }
const partly: Sign = { glyph: '◐', ascii: '~', style: 'yellow' }
const refused: Sign = { glyph: '⊘', ascii: '/', style: 'magenta' }
const old: Sign = { glyph: '◌', ascii: '.', style: 'yellow' }
const unknown: Sign = { glyph: '?', ascii: '?', style: 'dim' }

/** The mark before a status: one shape per meaning, since colour alone is not enough. */
const signs: Readonly<Record<StatusWord, Sign>> = {
  operational: good,
  up: good,
  answers: good,
  serves_a_file: unknown,
  degraded: partly,
  down_in_some_regions: partly,
  down: bad,
  blocked: refused,
  stale: old,
  unknown,
  unmeasured: unknown,
  no_data: unknown,
  not_covered: unknown,
  paused: { glyph: '‖', ascii: '=', style: 'dim' },
}

/** A status as mark and words: `down in some regions` for `down_in_some_regions`. */
export const statusCell = ({ isUtf8 }: Pick<Display, 'isUtf8'>, status: StatusWord): Cell & object => {
  // a status of a newer API has no mark yet
  const { glyph, ascii, style } = signs[status] ?? unknown
  return { text: `${isUtf8 ? glyph : ascii} ${status.replaceAll('_', ' ')}`, style }
}

/** A status and its explanation, wrapped; only the status is coloured. */
export const statusLines = (display: Display, status: StatusWord, rest: string, head: string): string[] => {
  const { text, style } = statusCell(display, status)
  const [first = '', ...more] = wrapWords(display, `${text}${rest}`, head)
  const end = head.length + text.length
  return [
    first.slice(0, head.length) + paint(display, style, first.slice(head.length, end)) + first.slice(end),
    ...more,
  ]
}

const places: Readonly<Record<Evidence['vantage'], string>> = {
  local: 'Measured from one machine, which stands for every region.',
  regional: 'Measured by a probe in each region.',
}

/** The vantage of a measurement, printed with each. */
export const vantageLine = (vantage: Evidence['vantage']): string =>
  places[vantage] ?? `Measured from ${vantage}.`
