import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import type { CheckStatus, RegionStatusName } from '@probe-mesh/contracts/check/check'
import type { ServiceStatus } from '@probe-mesh/contracts/outage/answers'
import { paint } from '../terminal/paint.ts'
import type { Look } from './look.ts'
import type { Cell, Style } from './table.ts'
import { wrapWords } from './wrap-words.ts'

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

/** The mark before a status: a shape of its own for each meaning, since a colour alone says nothing. */
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

/** A status as its mark and its word, `down in some regions` for `down_in_some_regions`. */
export const statusCell = ({ isUtf8 }: Pick<Look, 'isUtf8'>, status: StatusWord): Cell & object => {
  // what a newer API says has no mark yet
  const { glyph, ascii, style } = signs[status] ?? unknown
  return { text: `${isUtf8 ? glyph : ascii} ${status.replaceAll('_', ' ')}`, style }
}

/** A status and what is said of it, wrapped; only the status has its colour. */
export const statusLines = (
  look: Look,
  status: StatusWord,
  rest: string,
  head: string,
): string[] => {
  const { text, style } = statusCell(look, status)
  const [first = '', ...more] = wrapWords(look, `${text}${rest}`, head)
  const end = head.length + text.length
  return [
    first.slice(0, head.length) +
      paint(look, style, first.slice(head.length, end)) +
      first.slice(end),
    ...more,
  ]
}
