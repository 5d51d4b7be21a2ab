import { startTestNats } from '@probe-mesh/infra/testing/nats'
import { busContract } from '../contract-suite.ts'
import { openNatsBus } from './nats-bus.ts'

const topology = { regions: ['fra', 'iad', 'nrt'], readingsBytesMax: 64 * 1024 * 1024 }

busContract('nats', async () => {
  const server = await startTestNats()
  const open = () => openNatsBus({ servers: [server.url], name: 'contract', topology })
  const buses = [await open()]
  const closeAll = async () => {
    for (const bus of buses) await bus.close()
  }
  const [bus] = buses
  if (bus === undefined) throw new Error('no bus was opened')
  return {
    bus,
    reopen: async () => {
      await closeAll()
      const reopened = await open()
      buses.push(reopened)
      return reopened
    },
    destroy: async () => {
      await closeAll()
      await server.close()
    },
  }
})
