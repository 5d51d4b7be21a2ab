/** A cost of the product beside its floor: CPU by CPU in one run, so that more is worse. */
export type Ratio = {
  /** For people, after "the CPU of". */
  what: string
  floor: string
  /** Where the cost comes from, as paths of the repository. */
  folders: readonly string[]
}

const everywhere = ['contracts', 'check-types', 'runtime', 'package-lock.json']

/** In the order in which they are measured. */
export const gateRatios = {
  get_check: {
    what: '`GET /v1/checks/:id`',
    floor: 'a constant response',
    folders: ['control-plane', ...everywhere],
  },
  is_service_down: {
    what: '`is_service_down` of 150 services',
    floor: 'a constant response',
    folders: ['control-plane', ...everywhere],
  },
  tools_call: {
    what: '`tools/call`',
    floor: 'a hand-written handler',
    folders: ['mcp-gateway', ...everywhere],
  },
  http_check: {
    what: 'an http check',
    floor: 'a raw socket',
    folders: ['probe-agent', ...everywhere],
  },
  agent_to_stored: {
    what: 'a reading from its agent until it is stored and judged',
    floor: 'a raw insert',
    folders: ['probe-agent', 'bus', 'control-plane', 'infra/start', ...everywhere],
  },
} as const satisfies Record<string, Ratio>

export type RatioName = keyof typeof gateRatios

/** The ratio of each round, by name. */
export type MeasuredRatios = Readonly<Record<RatioName, readonly number[]>>
