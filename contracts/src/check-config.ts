import { z } from 'zod'
import { HeartbeatSettings } from './heartbeat.ts'
import { limits } from './limits.ts'
import { BrowserSettings, DnsSettings, SmtpSettings, TcpSettings } from './probe-settings.ts'
import { Step } from './step.ts'

/** Whether the target is told which region asks, by the header `Probe-Region`. Absent is no. */
const sendRegion = z.boolean().optional()

/** What a check of each type holds besides its name, interval and regions, as it is stored. */
export const CheckConfig = z.discriminatedUnion('type', [
  /** Its URL and its eight assertions are fields of the check itself. */
  z.object({ type: z.literal('http'), sendRegion }),
  z.object({
    type: z.literal('multistep'),
    steps: z.array(Step).min(1).max(limits.stepsMax),
    sendRegion,
  }),
  z.object({ type: z.literal('tcp'), settings: TcpSettings }),
  z.object({ type: z.literal('dns'), settings: DnsSettings }),
  z.object({ type: z.literal('smtp'), settings: SmtpSettings }),
  z.object({ type: z.literal('browser'), settings: BrowserSettings }),
  z.object({ type: z.literal('heartbeat'), settings: HeartbeatSettings }),
])
export type CheckConfig = z.infer<typeof CheckConfig>
