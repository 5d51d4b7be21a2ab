import type { RawEvent, RawException, RawFrame } from '../raw/raw-event.ts'

export const rawFrame = (part: Partial<RawFrame> = {}): RawFrame => ({
  file: 'src/cart.ts',
  module: null,
  function: 'pay',
  line: 3,
  column: 7,
  inApp: true,
  source: null,
  variables: null,
  debugId: null,
  ...part,
})

export const rawException = (part: Partial<RawException> = {}): RawException => ({
  type: 'TypeError',
  value: 'x is not a function',
  module: null,
  frames: [rawFrame()],
  ...part,
})

/** An event without message, exceptions and frames. */
export const rawEvent = (part: Partial<RawEvent> = {}): RawEvent => ({
  eventId: 'e'.repeat(32),
  at: 1_763_640_000_000,
  receivedAt: 1_763_640_001_000,
  level: 'error',
  platform: 'node',
  release: null,
  environment: null,
  transaction: null,
  message: null,
  template: null,
  exceptions: [],
  frames: [],
  fingerprint: null,
  tags: {},
  context: {},
  unreadable: [],
  truncated: [],
  ...part,
})
