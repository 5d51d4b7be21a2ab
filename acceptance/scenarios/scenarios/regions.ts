import { down, ended, mixed, ongoing, up, type Scenario, type SeenBy } from '../scenario.ts'

const splits = (
  name: string,
  slug: string,
  failing: readonly ('iad' | 'sjc' | 'fra' | 'nrt')[],
): Scenario => {
  const seen = Object.fromEntries(failing.map((region) => [region, 'down'])) as Partial<SeenBy>
  return {
    name,
    services: [{ slug }],
    moments: {
      before: { services: { [slug]: up() } },
      during: {
        set: { [slug]: seen as Record<string, 'down'> },
        services: {
          [slug]: mixed('down_in_some_regions', seen, { outages: [ongoing(...failing)] }),
        },
      },
      after: { set: { [slug]: 'up' }, services: { [slug]: up({ outages: [ended(...failing)] }) } },
      later: { services: { [slug]: up({ outages: [ended(...failing)] }) } },
    },
  }
}

/** Services that differ by region, and queries for one region. */
export const regional: readonly Scenario[] = [
  splits('a service that fails in one region of four is down in some', 'one-of-four', ['fra']),
  splits('a service that fails in two regions of four is down in some', 'two-two', ['iad', 'sjc']),
  splits('a service that works in one region of four is down in some', 'three-one', ['iad', 'sjc', 'fra']),
  {
    name: 'a failure that moves from two regions to the other two is never down everywhere',
    services: [{ slug: 'wandering' }],
    moments: {
      before: { services: { wandering: up() } },
      during: {
        set: { wandering: { iad: 'down', sjc: 'down' } },
        services: {
          wandering: mixed(
            'down_in_some_regions',
            { iad: 'down', sjc: 'down' },
            { outages: [ongoing('iad', 'sjc')] },
          ),
        },
      },
      after: {
        set: { wandering: { iad: 'up', sjc: 'up', fra: 'down', nrt: 'down' } },
        services: {
          wandering: mixed('down_in_some_regions', { fra: 'down', nrt: 'down' }, { outages: 'any' }),
        },
      },
    },
  },
  {
    name: 'an answer for one region uses that region alone, and has no data if it was not read',
    services: [{ slug: 'asked' }],
    moments: {
      before: {
        services: { asked: up() },
        queried: { iad: 'up', sjc: 'up', fra: 'up', nrt: 'up', syd: 'no_data' },
      },
      during: {
        set: { asked: { fra: 'down', nrt: 'denied' } },
        services: {
          asked: mixed(
            'down_in_some_regions',
            { fra: 'down', nrt: 'blocked' },
            { outages: [ongoing('fra')] },
          ),
        },
        queried: { iad: 'up', sjc: 'up', fra: 'down', nrt: 'blocked', syd: 'no_data' },
      },
      after: {
        set: { asked: 'down' },
        services: { asked: down({ outages: [ongoing()] }) },
        queried: { iad: 'down', fra: 'down', gru: 'no_data' },
      },
    },
  },
  {
    name: 'a service with two probes is up if both work, and down if either fails',
    services: [{ slug: 'twofold', probes: 2 }],
    moments: {
      before: { services: { twofold: up() } },
      during: {
        set: { 'twofold-api': { sjc: 'down' } },
        services: {
          twofold: mixed('down_in_some_regions', { sjc: 'down' }, { outages: [ongoing('sjc')] }),
        },
      },
      after: {
        set: { 'twofold-api': 'down' },
        services: { twofold: down({ outages: [ongoing()] }) },
      },
      later: {
        set: { 'twofold-api': 'up' },
        services: { twofold: up({ outages: [ended()] }) },
      },
    },
  },
  {
    name: 'a blocked probe does not change the status that the other probe gives',
    services: [{ slug: 'half-shut', probes: 2 }],
    moments: {
      before: { set: { 'half-shut-api': 'challenged' }, services: { 'half-shut': up() } },
      during: {
        set: { 'half-shut': 'down' },
        services: { 'half-shut': down({ outages: [ongoing()] }) },
      },
    },
  },
]
