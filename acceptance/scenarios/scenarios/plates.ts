import { slowMs } from '../behaviour.ts'
import {
  blocked,
  down,
  everywhere,
  mixed,
  ongoing,
  up,
  type Scenario,
  type ServiceExpected,
} from '../scenario.ts'

/** The usual latency. A slow target takes more than three times as long, a local one much less. */
const usualMs = slowMs / 3.2

const degraded = (): ServiceExpected => up({ level: 'degraded' })
const noData: ServiceExpected = { status: 'no_data', seen: everywhere('unknown') }

/** The status of stacks and of their services. */
export const plates: readonly Scenario[] = [
  {
    name: 'a service far slower than usual everywhere is up, and degraded in a stack',
    services: [{ slug: 'slow', usualMs }],
    moments: {
      during: { set: { slow: 'slow' }, services: { slow: degraded() } },
      after: { set: { slow: 'up' }, services: { slow: up() } },
      later: { set: { slow: 'slow' }, services: { slow: degraded() } },
    },
  },
  {
    name: 'a service slower than usual in three of four regions is degraded, in two of four it is not',
    services: [
      { slug: 'slow-in-three', usualMs },
      { slug: 'slow-in-two', usualMs },
    ],
    moments: {
      during: {
        set: {
          'slow-in-three': { iad: 'slow', sjc: 'slow', nrt: 'slow' },
          'slow-in-two': { iad: 'slow', sjc: 'slow' },
        },
        services: { 'slow-in-three': degraded(), 'slow-in-two': up() },
        stack: { status: 'degraded', summary: '1 of 2 services down or degraded' },
      },
    },
  },
  {
    name: 'a service with its usual latency, or without a baseline, is not degraded',
    services: [{ slug: 'always-slow', usualMs: slowMs / 2 }, { slug: 'newly-listed' }],
    moments: {
      during: {
        set: { 'always-slow': 'slow', 'newly-listed': 'slow' },
        services: { 'always-slow': up(), 'newly-listed': up() },
        stack: { status: 'up', summary: '0 of 2 services down or degraded' },
      },
    },
  },
  {
    name: 'a service slow in most regions and failing in one is down in some regions',
    services: [{ slug: 'slow-and-broken', usualMs }],
    moments: {
      during: {
        set: { 'slow-and-broken': { iad: 'slow', sjc: 'slow', fra: 'slow', nrt: 'down' } },
        services: {
          'slow-and-broken': mixed('down_in_some_regions', { nrt: 'down' }, { outages: [ongoing('nrt')] }),
        },
      },
    },
  },
  {
    name: 'a stack has the status of its worst service and counts down and degraded services',
    services: [
      { slug: 'stack-down' },
      { slug: 'stack-some' },
      { slug: 'stack-slow', usualMs },
      { slug: 'stack-up' },
    ],
    moments: {
      before: {
        services: { 'stack-down': up(), 'stack-some': up(), 'stack-slow': up(), 'stack-up': up() },
        stack: { status: 'up', summary: '0 of 4 services down or degraded' },
      },
      during: {
        set: { 'stack-down': 'down', 'stack-some': { iad: 'down' }, 'stack-slow': 'slow' },
        services: {
          'stack-down': down({ outages: [ongoing()] }),
          'stack-some': mixed('down_in_some_regions', { iad: 'down' }, { outages: [ongoing('iad')] }),
          'stack-slow': degraded(),
          'stack-up': up(),
        },
        stack: { status: 'down', summary: '3 of 4 services down or degraded' },
      },
      after: {
        set: { 'stack-down': 'up', 'stack-some': 'up' },
        services: {
          'stack-down': up({ outages: 'any' }),
          'stack-some': up({ outages: 'any' }),
          'stack-slow': degraded(),
          'stack-up': up(),
        },
        stack: { status: 'degraded', summary: '1 of 4 services down or degraded' },
      },
    },
  },
  {
    name: 'a stack counts blocked services and services without data apart, never as healthy',
    services: [{ slug: 'mixed-shut' }, { slug: 'mixed-dark' }, { slug: 'mixed-down' }, { slug: 'mixed-up' }],
    moments: {
      before: {
        set: { 'mixed-shut': 'denied', 'mixed-dark': 'unsafe' },
        services: {
          'mixed-shut': blocked(),
          'mixed-dark': noData,
          'mixed-down': up(),
          'mixed-up': up(),
        },
        stack: {
          status: 'blocked',
          summary: '0 of 4 services down or degraded, 1 with no data, 1 blocked',
        },
      },
      during: {
        set: { 'mixed-down': 'down' },
        services: {
          'mixed-shut': blocked(),
          'mixed-dark': noData,
          'mixed-down': down({ outages: [ongoing()] }),
          'mixed-up': up(),
        },
        stack: {
          status: 'down',
          summary: '1 of 4 services down or degraded, 1 with no data, 1 blocked',
        },
      },
    },
  },
  {
    name: 'a stack without any reading has no data',
    services: [{ slug: 'dark-one' }, { slug: 'dark-two' }],
    moments: {
      before: {
        set: { 'dark-one': 'unsafe', 'dark-two': 'unsafe' },
        services: { 'dark-one': noData, 'dark-two': noData },
        stack: {
          status: 'no_data',
          summary: '0 of 2 services down or degraded, 2 with no data',
        },
      },
    },
  },
]
