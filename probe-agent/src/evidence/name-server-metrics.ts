import { Counter, type Registry } from 'prom-client'
import type { NameServers } from './name-servers.ts'

/** Shows what became of lookups of name servers; they are a process' own, of all its regions. */
export const registerNameServerMetrics = (
  registry: Registry,
  nameServers: Pick<NameServers, 'counts'>,
): void => {
  const lookups: Counter<'outcome'> = new Counter({
    name: 'probe_mesh_agent_name_server_lookups_total',
    help: 'Lookups of name servers in the background, by what became of them',
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
