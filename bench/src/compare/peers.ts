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
