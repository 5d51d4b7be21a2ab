import type { FigureLine } from '../harness/figure.ts'

/** Which way a figure is better. */
export type Direction = 'less' | 'more'

const duration = /^(ms|CPU m?s|minutes|% of a core)\b/
const amount = /^(bytes|KB|MiB|processes|requests|count|a month)\b/
const moreIsBetter = /^\S+\/(s|min)$/

/** Whether a figure is of time: a slower machine makes it worse, and it says nothing of what is measured. */
export const isOfTime = (unit: string): boolean => duration.test(unit) || moreIsBetter.test(unit)

/** By its aim, else by its unit; null where neither says, as of a ratio without an aim or of cores in use. */
export const directionOf = ({
  aim,
  unit,
}: Pick<FigureLine, 'unit'> & { aim?: string }): Direction | null => {
  if (aim !== undefined) return aim.startsWith('<=') ? 'less' : 'more'
  if (moreIsBetter.test(unit)) return 'more'
  return duration.test(unit) || amount.test(unit) ? 'less' : null
}

/** What ours is measured beside, by what figures of it are called. */
const peers = [
  'bare_timer',
  'blackbox',
  'by_hand',
  'constant',
  'curl',
  'data',
  'empty',
  'http_raw',
  'https_raw',
  'openssl',
  'parse_floor',
  'raw_insert',
  'sdk_example',
]

/** Whether a figure is of a peer by itself: it says how the machine did. A ratio to one is ours. */
export const isOfPeer = (figure: string): boolean =>
  !/_(to|over)_/.test(figure) && peers.some((peer) => `_${figure}_`.includes(`_${peer}_`))
