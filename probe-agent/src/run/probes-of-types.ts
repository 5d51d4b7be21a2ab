import { probeBrowser, type BrowserContext } from '@probe-mesh/check-types/browser/probe/probe-browser'
import type { BrowserHost } from '@probe-mesh/check-types/browser/probe/host'
import { probeDns } from '@probe-mesh/check-types/dns/probe/probe-dns'
import { probeGrpc } from '@probe-mesh/check-types/grpc/probe/probe-grpc'
import { probeSmtp } from '@probe-mesh/check-types/smtp/probe/probe-smtp'
import { probeTcp } from '@probe-mesh/check-types/tcp/probe/probe-tcp'
import type { SettingsTypeName } from '@probe-mesh/contracts/check/types-with-settings'
import type { SettingsAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { ProbeCapabilities, Probed } from '../probes/probe.ts'

/** One attempt of a type. A page says when it got its place, which is when it was measured. */
type TypeProbe<A> = (
  assignment: A,
  context: BrowserContext,
  capabilities: ProbeCapabilities & { browser: BrowserHost | null },
) => Promise<Probed & { measuredAt?: number }>

/** The probes of the types whose settings are one object. */
const probes: { [Name in SettingsTypeName]: TypeProbe<SettingsAssignment<Name>> } = {
  tcp: probeTcp,
  dns: probeDns,
  smtp: probeSmtp,
  grpc: probeGrpc,
  browser: probeBrowser,
}

export const probeOf = <A extends SettingsAssignment<SettingsTypeName>>({ type }: A): TypeProbe<A> =>
  // the type of an assignment names the entry of its settings
  probes[type] as unknown as TypeProbe<A>
