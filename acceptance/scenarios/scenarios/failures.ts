import { fine, type Behaviour } from '../behaviour.ts'
import { down, ended, everywhere, mixed, ongoing, up, type Scenario } from '../scenario.ts'
import type { Listed } from '../services.ts'
import { expectStoredOutage } from '../stored-outage.ts'

/** A service that works, fails everywhere in one way, and recovers. */
const failsAndRecovers = (
  slug: string,
  behaviour: Behaviour,
  reason: string,
  more: Partial<Listed> = {},
): Scenario => ({
  name: `a service that is ${slug} is down during its outage, and its history keeps the outage`,
  services: [{ slug, ...more }],
  moments: {
    before: { services: { [slug]: up() } },
    during: {
      set: { [slug]: behaviour },
      services: { [slug]: down({ reason, outages: [ongoing()] }) },
    },
    after: { set: { [slug]: 'up' }, services: { [slug]: up({ outages: [ended()] }) } },
    later: {
      services: { [slug]: up({ outages: [ended()] }) },
      verify: (means) => expectStoredOutage(means, { slug, ...more }),
    },
  },
})

/** Failures that make a service down, and similar ones that do not. */
export const failures: readonly Scenario[] = [
  {
    name: 'a working service stays up in every region',
    services: [{ slug: 'steady' }],
    moments: {
      before: { services: { steady: up() } },
      during: { services: { steady: up() } },
      after: { services: { steady: up() } },
      later: { services: { steady: up() } },
    },
  },
  failsAndRecovers('broken', 'down', 'expected status 200-299, got 503'),
  failsAndRecovers('refused', 'refused', 'the connection was refused'),
  failsAndRecovers('reset', 'reset', 'the connection was reset'),
  failsAndRecovers('hung-up', 'hungUp', 'the connection was closed without a response'),
  failsAndRecovers('silent', 'silent', 'no response within'),
  failsAndRecovers('unresolved', 'unresolved', 'the host name does not exist'),
  failsAndRecovers('redirecting', 'redirecting', 'too many redirects'),
  failsAndRecovers('missing', 'missing', 'got 404'),
  failsAndRecovers('lying', 'lying', 'the page is an error page (nginx)'),
  {
    name: 'a rewritten page is no outage, and its service has no data',
    services: [{ slug: 'rewritten', expect: { bodyOp: 'contains', bodyValue: fine } }],
    moments: {
      before: { services: { rewritten: up() } },
      during: {
        set: { rewritten: 'rewritten' },
        services: {
          rewritten: {
            status: 'no_data',
            seen: everywhere('stale'),
            reason: 'the measured page changed',
          },
        },
      },
      after: { set: { rewritten: 'up' }, services: { rewritten: up() } },
    },
  },
  {
    name: 'a service that never worked has no data, because our expectation may be wrong',
    services: [{ slug: 'unproven' }],
    moments: {
      before: {
        set: { unproven: 'down' },
        services: {
          unproven: {
            status: 'no_data',
            seen: everywhere('unknown'),
            reason: 'has never worked',
            undecided: true,
          },
        },
      },
      during: { set: { unproven: 'up' }, services: { unproven: up() } },
      after: {
        set: { unproven: 'down' },
        services: { unproven: down({ outages: [ongoing()] }) },
      },
    },
  },
  {
    name: 'an outage across a measurement gap stays one outage',
    services: [{ slug: 'interrupted' }],
    moments: {
      before: { services: { interrupted: up() } },
      during: {
        set: { interrupted: 'down' },
        services: { interrupted: down({ outages: [ongoing()] }) },
      },
      after: { services: { interrupted: down({ outages: [ongoing()] }) } },
      later: { services: { interrupted: down({ outages: [ongoing()] }) } },
    },
  },
  {
    name: 'a service that only fails the first attempt of each run is up',
    services: [{ slug: 'stumbling' }],
    moments: {
      before: { set: { stumbling: 'stumbling' }, services: { stumbling: up() } },
      during: { services: { stumbling: up() } },
      after: { services: { stumbling: up() } },
    },
  },
  {
    name: 'one failing reading in one region is no outage',
    services: [{ slug: 'hiccup' }],
    moments: {
      before: { services: { hiccup: up() } },
      during: { set: { hiccup: { fra: 'hiccup' } }, services: { hiccup: up({ outages: 'any' }) } },
      after: { services: { hiccup: up() } },
      later: { services: { hiccup: up() } },
    },
  },
  {
    name: 'each answer about a flapping service matches its state when measured',
    services: [{ slug: 'flapping' }],
    moments: {
      before: { services: { flapping: up() } },
      during: { set: { flapping: 'flapping' }, services: {} },
      after: { set: { flapping: 'up' }, services: { flapping: up({ outages: 'any' }) } },
    },
  },
  {
    name: 'a service that flaps in one region only is never down',
    services: [{ slug: 'flutter' }],
    moments: {
      before: { services: { flutter: up() } },
      during: { set: { flutter: { sjc: 'flapping' } }, services: {} },
      after: {
        set: { flutter: { sjc: 'down' } },
        services: {
          flutter: mixed('down_in_some_regions', { sjc: 'down' }, { outages: 'any' }),
        },
      },
    },
  },
]
