import type { BrowserContext } from '@probe-mesh/check-types/browser/probe/probe-browser'
import type { BrowserHost } from '@probe-mesh/check-types/browser/probe/host'
import type { SettingsTypeName } from '@probe-mesh/contracts/check/types-with-settings'
import type { Assignment, SettingsAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { ProbeCapabilities, Probed } from '../probes/probe.ts'

/** One attempt of a type. A page says when it got its place, which is when it was measured. */
type TypeProbe<A> = (
  assignment: A,
  context: BrowserContext,
  capabilities: ProbeCapabilities & { browser: BrowserHost | null },
) => Promise<Probed & { measuredAt?: number }>

/** The probes of the types whose settings are one object. Each is loaded for the first check of its type. */
const probes: { [Name in SettingsTypeName]: () => Promise<TypeProbe<SettingsAssignment<Name>>> } = {
  tcp: async () => (await import('@probe-mesh/check-types/tcp/probe/probe-tcp')).probeTcp,
  dns: async () => (await import('@probe-mesh/check-types/dns/probe/probe-dns')).probeDns,
  smtp: async () => (await import('@probe-mesh/check-types/smtp/probe/probe-smtp')).probeSmtp,
  grpc: async () => (await import('@probe-mesh/check-types/grpc/probe/probe-grpc')).probeGrpc,
  browser: async () => (await import('@probe-mesh/check-types/browser/probe/probe-browser')).probeBrowser,
}

/** @returns null: a type that every agent has loaded @throws Error when its code is gone from the disk */
export const loadProbeOf = async <A extends Assignment>({ type }: A): Promise<TypeProbe<A> | null> => {
  if (!(type in probes)) return null
  // the type of an assignment names the entry of its settings
  return (await probes[type as SettingsTypeName]()) as unknown as TypeProbe<A>
}
