import type { ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import { expect } from 'vitest'
import { resolverOf } from '@probe-mesh/probe-agent/src/request/testing/ask'
import type { ProbeCapabilities } from '@probe-mesh/probe-agent/src/probes/probe'
import { capabilitiesOf, withDeadline, type Asking } from '../../../tcp/probe/testing/probing.ts'
import { probeGrpc, type GrpcAsked, type GrpcProbed } from '../probe-grpc.ts'
import { GrpcDetails } from '../../reading/details.ts'
import { GrpcSettings } from '../../settings.ts'

/** One attempt at a server of the test, as `api.localhost`, for which any port is allowed. */
export const probe = async (
  settings: Partial<GrpcSettings> & { port: number },
  asking: Asking = {},
  more: Partial<ProbeCapabilities> = {},
  asked: Partial<GrpcAsked> = {},
): Promise<GrpcProbed> => {
  const parsed = GrpcSettings.parse({ host: 'api.localhost', security: 'none', ...settings })
  const capabilities = capabilitiesOf({ resolver: resolverOf({}), ...more })
  const probed: GrpcProbed[] = []
  await withDeadline(asking, async (context) => {
    const one = await probeGrpc({ settings: parsed, owner: 'account', ...asked }, context, capabilities)
    probed.push(one)
    const details: ReadingDetails | null = null
    return { ...one, trace: { ...one.trace, details } }
  })
  const [one] = probed
  if (one === undefined) throw new Error('the probe did not end')
  expect(GrpcDetails.parse(one.trace.details)).toEqual(one.trace.details)
  return one
}

export const up = { verdict: 'up', fault: 'none', cause: 'ok', reason: null }
export const down = (cause: string, reason: string) => ({ verdict: 'down', fault: 'target', cause, reason })
