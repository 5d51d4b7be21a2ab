import type { Behaviour } from '../behaviour.ts'
import { fine } from '../behaviour.ts'
import { down, ended, everywhere, mixed, ongoing, up } from '../scenario.ts'
import type { Scenario } from '../scenario.ts'
import type { Listed } from '../services.ts'
import { expectStoredOutage } from '../stored-outage.ts'

/** A service that works, fails in one way everywhere, and works again. */
const failsAndRecovers = (
  slug: string,
  behaviour: Behaviour,
  reason: string,
  more: Partial<Listed> = {},
): Scenario => ({
  name: `a service that is ${slug} is down for as long as it is, and its outage is remembered`,
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
      look: (means) => expectStoredOutage(means, { slug, ...more }),
    },
  },
})

/** All that makes a service down, and what looks like it and does not. */
export const failures: readonly Scenario[] = [
  {
    name: 'a service that works is up, everywhere and all the time',
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
    name: 'a page that was written anew is no outage, and nothing is said of its service',
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
    name: 'what fails and was never seen to work is no data: what we expect of it may be wrong',
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
    name: 'an outage over a time that was not measured is told as one, with the gap',
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
    name: 'a service whose first answer to each run fails, and the next does not, is up',
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
    name: 'a flapping service is never said to be what it was not when it was measured',
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
