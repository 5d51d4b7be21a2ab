import { Counter, type Registry } from 'prom-client'
import type { NameServers } from './name-servers.ts'

/** Registers the outcomes of name server lookups of the whole process, all regions together. */
export const registerNameServerMetrics = (
  registry: Registry,
  nameServers: Pick<NameServers, 'counts'>,
): void => {
  const lookups: Counter<'outcome'> = new Counter({
    name: 'probe_mesh_agent_name_server_lookups_total',
    help: 'Background lookups of name servers, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
    collect: () => {
      lookups.reset()
      for (const [outcome, count] of Object.entries(nameServers.counts)) {
        lookups.inc({ outcome }, count)
      }
    },
  })
}
