import type { FigureLine } from '../harness/figure.ts'

/** Which way a figure is better. */
type Direction = 'less' | 'more'

const duration = /^(ms|CPU m?s|minutes|% of a core)\b/
const amount = /^(bytes|KB|MiB|processes|requests|count|a month)\b/
const moreIsBetter = /^\S+\/(s|min)$/

/** Whether a slower machine alone makes a figure with this unit worse. */
export const isOfTime = (unit: string): boolean => duration.test(unit) || moreIsBetter.test(unit)

/** From the aim, else from the unit; null if neither decides, as for a ratio without an aim. */
export const directionOf = ({ aim, unit }: Pick<FigureLine, 'unit'> & { aim?: string }): Direction | null => {
  if (aim !== undefined) return aim.startsWith('<=') ? 'less' : 'more'
  if (moreIsBetter.test(unit)) return 'more'
  return duration.test(unit) || amount.test(unit) ? 'less' : null
}

/** The peers and floors, as they appear in names of figures. */
const peers = [
  'bare_timer',
  'blackbox',
  'by_hand',
  'constant',
  'data',
  'empty',
  'http_raw',
  'https_raw',
  'openssl',
  'parse_floor',
  'raw_insert',
  'sdk_example',
]

/** Whether a figure belongs to a peer, and so shows the machine. A ratio to a peer is ours. */
export const isOfPeer = (figure: string): boolean =>
  !/_(to|over)_/.test(figure) && peers.some((peer) => `_${figure}_`.includes(`_${peer}_`))
