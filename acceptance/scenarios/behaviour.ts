import type { ServerResponse } from 'node:http'

/** The true state of a target, independent of measurements. */
export type Truth = 'up' | 'down' | 'blocked'

type Row = {
  truth: Truth
  /** The address of its name; null: none; absent: that of the target. */
  address?: string | null
  /** @param request the number of earlier requests from the same region */
  serve(response: ServerResponse, request: number): void
}

/** Much longer than a local target takes, and much shorter than an attempt's deadline. */
export const slowMs = 400

/** A loopback address without a server. */
const unusedAddress = '127.0.0.2'

const answer =
  (status: number, body: string, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body)
  }

/** The text of a working target. */
export const fine = 'All is fine here.'
const working = answer(200, `<p>${fine}</p>`)
const broken = answer(503, 'out of order')
const never = (): void => undefined

/** The behaviours of targets. */
export const behaviours = {
  up: { truth: 'up', serve: working },
  slow: { truth: 'up', serve: (response) => void setTimeout(working, slowMs, response) },
  /** The first attempt fails and the second does not. */
  stumbling: {
    truth: 'up',
    serve: (response, request) => (request % 2 === 0 ? broken : working)(response),
  },
  /** The API of a service that refuses unknown clients. */
  private: { truth: 'up', serve: answer(401, 'who are you?') },
  /** Its address is forbidden for probes, so it is never measured. */
  unsafe: { truth: 'up', address: '10.0.0.1', serve: never },
  down: { truth: 'down', serve: broken },
  /** Down for the two attempts of one run, then up. */
  hiccup: { truth: 'down', serve: broken },
  silent: { truth: 'down', serve: never },
  reset: { truth: 'down', serve: (response) => void response.socket?.resetAndDestroy() },
  hungUp: { truth: 'down', serve: (response) => void response.socket?.end() },
  refused: { truth: 'down', address: unusedAddress, serve: never },
  unresolved: { truth: 'down', address: null, serve: never },
  missing: { truth: 'down', serve: answer(404, 'there is nothing here') },
  redirecting: { truth: 'down', serve: answer(302, '', { location: '/' }) },
  /** Answers 200 with the error page of its server. */
  lying: {
    truth: 'down',
    serve: answer(
      200,
      '<title>502 Bad Gateway</title><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center>',
    ),
  },
  /** Works, but its page has changed since the catalog recorded its content. */
  rewritten: { truth: 'up', serve: answer(200, '<p>Everything works.</p>') },
  denied: { truth: 'blocked', serve: answer(403, 'go away') },
  limited: { truth: 'blocked', serve: answer(429, 'too many requests') },
  challenged: {
    truth: 'blocked',
    serve: answer(403, '<title>Just a moment...</title>', { 'cf-mitigated': 'challenge' }),
  },
  /** A captcha with the status of a working page. */
  captcha: {
    truth: 'blocked',
    serve: answer(200, '<iframe src="/_Incapsula_Resource?incident_id=1"></iframe>', {
      'x-iinfo': '1-2-3',
    }),
  },
  /** Amazon's page for robots, with the status of an outage. */
  robotPage: {
    truth: 'blocked',
    serve: answer(
      503,
      '<!-- To discuss automated access to Amazon data please contact api-services-support@amazon.com. -->',
    ),
  },
  /** A status for robots only. */
  oddlyDenied: { truth: 'blocked', serve: answer(999, '') },
  /** An answer that looks like an outage except for the challenge in its page. */
  challengedBusy: {
    truth: 'blocked',
    serve: answer(503, '<script>window._cf_chl_opt={}</script>'),
  },
} as const satisfies Record<string, Row>

export type Steady = keyof typeof behaviours

/** `flapping` alternates between up and down, each longer than a reading. */
export type Behaviour = Steady | 'flapping'

export const rowOf = (behaviour: Steady): Row => behaviours[behaviour]
