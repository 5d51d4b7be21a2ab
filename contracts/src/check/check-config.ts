import { z } from 'zod'
import { RefusedAs, TimeoutSeconds } from './check-timeout.ts'
import { HeartbeatSettings } from '../heartbeat/heartbeat.ts'
import { limits } from '../schema/limits.ts'
import { BrowserSettings, DnsSettings, SmtpSettings, TcpSettings } from './probe-settings.ts'
import { Step } from './step.ts'
import { HttpRequest } from './request-options.ts'

/** Whether requests contain the region in the header `Probe-Region`. Absent means no. */
const sendRegion = z.boolean().optional()
/** Absent means the default: 10 s, or 0.4 of the interval if that is less. */
const timeoutSeconds = TimeoutSeconds.optional()

/** The stored settings of each type, without name, interval and regions. */
export const CheckConfig = z.discriminatedUnion('type', [
  /** The URL and the eight assertions are fields of the check itself. */
  z.object({
    type: z.literal('http'),
    sendRegion,
    timeoutSeconds,
    refusedAs: RefusedAs.optional(),
    /** Absent: a plain GET. */
    request: HttpRequest.optional(),
  }),
  z.object({
    type: z.literal('multistep'),
    steps: z.array(Step).min(1).max(limits.stepsMax),
    sendRegion,
  }),
  z.object({ type: z.literal('tcp'), settings: TcpSettings, timeoutSeconds }),
  z.object({ type: z.literal('dns'), settings: DnsSettings, timeoutSeconds }),
  z.object({ type: z.literal('smtp'), settings: SmtpSettings, timeoutSeconds }),
  z.object({ type: z.literal('browser'), settings: BrowserSettings }),
  z.object({ type: z.literal('heartbeat'), settings: HeartbeatSettings }),
])
export type CheckConfig = z.infer<typeof CheckConfig>
