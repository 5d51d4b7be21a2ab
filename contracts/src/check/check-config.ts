import { z } from 'zod'
import { RefusedAs, TimeoutSeconds } from './check-timeout.ts'
import { HeartbeatSettings } from '../heartbeat/heartbeat.ts'
import { limits } from '../schema/limits.ts'
import { BrowserSettings, DnsSettings, SmtpSettings, TcpSettings } from './probe-settings.ts'
import { Step } from './step.ts'

/** Whether the target is told which region asks, by the header `Probe-Region`. Absent is no. */
const sendRegion = z.boolean().optional()
/** Absent is the default: 10 s, or 0.4 of the interval where that is less. */
const timeoutSeconds = TimeoutSeconds.optional()

/** What a check of each type holds besides its name, interval and regions, as it is stored. */
export const CheckConfig = z.discriminatedUnion('type', [
  /** Its URL and its eight assertions are fields of the check itself. */
  z.object({
    type: z.literal('http'),
    sendRegion,
    timeoutSeconds,
    refusedAs: RefusedAs.optional(),
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
