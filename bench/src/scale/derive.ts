import { limits } from '@probe-mesh/contracts/schema/limits'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { fairShare } from '@probe-mesh/control-plane/stores/leases/lease-manager'
import type { Assumptions } from './assumptions.ts'
import type { CostName, Costs } from './costs.ts'

/** What is to be carried. */
export type Load = { checks: number; regions: number; intervalSeconds: number }

const secondsPerDay = 86_400
const gib = 2 ** 30
const mib = 2 ** 20

/** The rates that everything else follows from, a second. */
export const ratesOf = ({ checks, regions, intervalSeconds }: Load, costs: Costs) => {
  const readings = (checks * regions) / intervalSeconds
  const messages = readings / costs.readingsPerMessage.value
  return {
    readings,
    readingsOfRegion: readings / regions,
    messages,
    payloadBytes: readings * costs.payloadBytes.value,
    wireBytes: readings * costs.wireBytes.value,
    stateWrites: readings * costs.stateWritesPerReading.value,
    lookUps: lookUpsPerSecond(checks, readings),
  }
}

/** How long ingest believes what it looked up of a check (`ingest/directory`), seconds. */
const factsAgeSeconds = 5

/** A check is looked up with its first reading after what is known of it is too old. */
const lookUpsPerSecond = (checks: number, readings: number): number =>
  checks / (factsAgeSeconds + checks / readings)

/** One kind of process: how many, what each needs, and what they cost together. */
export type Part = {
  part: string
  processes: number
  busyCores: number
  memoryGib: number
  machines: number
  machine: string
  dollars: number
  /** The figures that it follows from. */
  from: readonly CostName[]
}

type MachineKind = keyof Assumptions['machines']

/** Every process of the mesh under a load. */
export const partsOf = (load: Load, costs: Costs, given: Assumptions): Part[] => {
  const rates = ratesOf(load, costs)
  const perReading = (cost: CostName) => costs[cost].value / 1_000
  const on = (kind: MachineKind, machines: number) => {
    const { name, dollarsPerHour } = given.machines[kind]
    return { machines, machine: name, dollars: machines * dollarsPerHour * given.hoursPerMonth }
  }
  const { busyShareMax } = given

  const agentCores =
    rates.readingsOfRegion * (perReading('httpsRunCpu') + perReading('agentReadingCpu'))
  const agents = Math.ceil((agentCores * costs.busiestAgent.value) / busyShareMax)
  const agentGib = (costs.agentBaseMib.value * mib + load.checks * costs.agentBookBytes.value) / gib
  const agentMachines = machinesFor(given.machines.agent, {
    cores: agentCores / busyShareMax,
    gib: agents * agentGib,
  })

  const controlPlaneCores = rates.readings * perReading('controlPlaneReadingCpu')
  const partitionCores = (controlPlaneCores / limits.partitions) * costs.busiestPartition.value
  const controlPlanes = holdersFor(partitionCores, busyShareMax)
  const controlPlaneGib =
    (costs.controlPlaneBaseMib.value * mib +
      (load.checks * costs.assessorBytes.value +
        load.checks * load.regions * costs.ingestBytes.value) /
        controlPlanes) /
    gib
  const controlPlaneMachines = machinesFor(given.machines.general, {
    cores: controlPlanes,
    gib: controlPlanes * controlPlaneGib,
  })

  const natsCores = (rates.messages * costs.natsMessageCpu.value) / 1_000
  const clickhouseCores = rates.readings * perReading('clickhouseReadingCpu') * given.mergeFactor
  const bytes = diskOf(load, costs, 'scale').totalBytes
  const shards = Math.max(
    Math.ceil(bytes / given.clickhouseBytesPerServer),
    Math.ceil(clickhouseCores / busyShareMax / given.machines.store.cores),
  )
  const postgresCores =
    (rates.stateWrites * costs.stateWriteCpu.value + rates.lookUps * costs.lookUpCpu.value) / 1_000
  return [
    {
      part: `agents, ${load.regions} regions`,
      processes: agents * load.regions,
      busyCores: agentCores * load.regions,
      memoryGib: agentGib,
      ...on('agent', agentMachines * load.regions),
      from: ['httpsRunCpu', 'agentReadingCpu', 'busiestAgent', 'agentBaseMib', 'agentBookBytes'],
    },
    {
      part: 'NATS',
      processes: given.natsReplicas,
      busyCores: natsCores,
      memoryGib: given.machines.general.gib,
      ...on('general', given.natsReplicas),
      from: ['readingsPerMessage', 'natsMessageCpu'],
    },
    {
      part: 'control planes',
      processes: controlPlanes,
      busyCores: controlPlaneCores,
      memoryGib: controlPlaneGib,
      ...on('general', controlPlaneMachines),
      from: ['controlPlaneReadingCpu', 'controlPlaneBaseMib', 'assessorBytes', 'ingestBytes'],
    },
    {
      part: `ClickHouse, ${shards} shards of ${given.clickhouseReplicas}`,
      processes: shards * given.clickhouseReplicas,
      busyCores: clickhouseCores * given.clickhouseReplicas,
      memoryGib: given.machines.store.gib,
      ...on('store', shards * given.clickhouseReplicas),
      from: ['clickhouseReadingCpu', 'rawBytes', 'minuteBytes', 'hourBytes'],
    },
    {
      part: 'Postgres, primary and standby',
      processes: given.postgresServers,
      busyCores: postgresCores,
      memoryGib: given.machines.database.gib,
      ...on('database', given.postgresServers),
      from: ['stateWritesPerReading', 'stateWriteCpu', 'lookUpCpu'],
    },
  ]
}

/** How many must share the partitions so that whoever has most of them is busy for no more than this. */
const holdersFor = (partitionCores: number, busyShareMax: number): number => {
  const all = Array.from({ length: limits.partitions }, (_, n) => n + 1)
  return (
    all.find((count) => fairShare(limits.partitions, count) * partitionCores <= busyShareMax) ??
    limits.partitions
  )
}

const machinesFor = (
  machine: { cores: number; gib: number },
  needed: { cores: number; gib: number },
): number => Math.max(Math.ceil(needed.cores / machine.cores), Math.ceil(needed.gib / machine.gib))

/** What ClickHouse keeps of the load, one copy, were all its checks of one tier. */
export const diskOf = ({ checks, regions, intervalSeconds }: Load, costs: Costs, tier: Tier) => {
  const readingsPerDay = ((checks * regions) / intervalSeconds) * secondsPerDay
  const { rawDays, hourDays } = tiersDefault[tier]
  const rawBytesPerDay = readingsPerDay * costs.rawBytes.value
  const minuteBytesPerDay = readingsPerDay * costs.minuteBytes.value
  const hourBytesPerDay = readingsPerDay * costs.hourBytes.value
  return {
    tier,
    readingsPerDay,
    rawBytesPerDay,
    minuteBytesPerDay,
    hourBytesPerDay,
    rawDays,
    hourDays,
    totalBytes: (rawBytesPerDay + minuteBytesPerDay) * rawDays + hourBytesPerDay * hourDays,
  }
}

/** Money for what is no machine: disks and traffic, dollars a month. */
export const restOf = (load: Load, costs: Costs, given: Assumptions) => {
  const rates = ratesOf(load, costs)
  const perMonth = (bytesPerSecond: number) => (bytesPerSecond * given.hoursPerMonth * 3_600) / 1e9
  const { totalBytes } = diskOf(load, costs, 'scale')
  const clickhouseGb = (totalBytes * given.clickhouseReplicas) / given.diskShareMax / 1e9
  const postgresGb =
    (load.checks * costs.postgresBytes.value * given.postgresServers) / given.diskShareMax / 1e9
  const remoteShare = (load.regions - 1) / load.regions
  const readingsGb = perMonth(rates.wireBytes) * remoteShare
  const probesGb = perMonth(rates.readings * given.probeOutwardBytes)
  return [
    {
      what: 'ClickHouse volumes',
      gb: clickhouseGb,
      dollars: clickhouseGb * given.volumePerGbMonth,
    },
    { what: 'Postgres volumes', gb: postgresGb, dollars: postgresGb * given.volumePerGbMonth },
    {
      what: 'readings from other regions',
      gb: readingsGb,
      dollars: readingsGb * given.regionTrafficPerGb,
    },
    {
      what: 'what runs send to their targets',
      gb: probesGb,
      dollars: probesGb * given.outwardTrafficPerGb,
    },
  ]
}
