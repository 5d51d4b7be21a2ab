/**
 * The limits that several parts share, with the unit in the name. A limit of one loop stands with that loop.
 */
export const limits = {
  requestBodyBytesMax: 64 * 1024,
  /** Nesting levels of untrusted JSON. Deeper JSON is refused before parsing. */
  jsonDepthMax: 64,
  nameCharactersMax: 200,
  /** Text for people: an incident update, a maintenance window. */
  proseCharactersMax: 10_000,
  /** Updates of one incident. Each response includes all of them. */
  incidentUpdatesMax: 500,
  urlCharactersMax: 2_048,
  channelsPerAccountMax: 50,
  alertRulesPerAccountMax: 50,
  regionsPerCheckMax: 10,
  /** The window that counts as now in the internet weather (S-1401). */
  weatherWindowMs: 600_000,
  intervalSecondsMax: 86_400,

  assertionValueCharactersMax: 1_000,
  jsonPathCharactersMax: 500,
  jsonPathDepthMax: 32,

  /** An attempt's timeout is the smaller of this and `attemptShareOfInterval` of the interval. */
  attemptMsMax: 10_000,
  attemptShareOfInterval: 0.4,
  /** Redirects of a step of a journey (S-410). */
  redirectHopsMax: 3,
  /** Redirects of an http check: as many as browsers follow. */
  checkRedirectHopsMax: 20,
  /** Length of the URL in a redirect. */
  redirectUrlCharactersMax: 32 * 1024,
  /** A multi-step check (S-401, S-411): number of steps, time of one request or hop, time of the whole. */
  stepsMax: 10,
  stepRequestMsMax: 10_000,
  journeyMsMax: 45_000,
  /** The single attempt of a browser check: a page with all its resources. */
  browserAttemptMsMax: 20_000,
  /** Wait for a page of Chromium: the longest run of another check, plus time to close it. */
  pageTurnMsMax: 22_000,
  /** Wait of a requested run for its account's turn at the agent. */
  runTurnMsMax: 5_000,
  /** The longest wait for the result of a requested run, for all types. */
  runRequestMsMax: 57_000,
  /** One attempt: the wait for a connection slot, and the longest use of it. */
  handshakeWaitMsMax: 2_000,
  handshakeHeldMsMax: 1_000,
  /** The shortest interval of journeys and browser checks, so that a run ends before the next. */
  longRunIntervalSecondsMin: 60,
  stepBodyCharactersMax: 10_000,
  /** Text that a tcp check sends or expects, and values that a dns check expects. */
  probeTextCharactersMax: 1_000,
  dnsValuesMax: 20,
  /** Name servers of a catalog service's zone in a reading. */
  nameServersMax: 8,
  /** Decoded bytes read for body and JSON path assertions (S-311). */
  bodyBytesMax: 256 * 1024,
  /** Encoded bytes read from the network for one response. */
  encodedBytesMax: 1024 * 1024,
  /** Response headers that are always allowed, and the maximum while the pool of large headers has a place. */
  headerBytesMax: 16 * 1024,
  largeHeaderBytesMax: 256 * 1024,

  reasonCharactersMax: 300,
  /** The part of an answer that a trial returns, bytes of its body. */
  excerptBytesMax: 4_096,
  /** Notes of a reading that are no fault. */
  readingNotesMax: 20,
  /** A screenshot of a failed page, in base64. Several fit in a message. */
  screenshotCharactersMax: 120_000,

  /** Readings in one message. It is sent when it has this many readings, or by its age. */
  readingsPerMessageMax: 100,
  /** Where many readings come, or one may change a status; and at most. */
  readingsMessageAgeMs: 200,
  readingsMessageAgeMsMax: 1_000,
  readingsMessageBytesMax: 512 * 1024,
  partitions: 16,
  /** Partitions of the stream of error events, by project id. */
  errorPartitions: 4,

  /** Page sizes of `GET /checks/:id/readings` and points of `/series`. */
  readingsPageDefault: 100,
  readingsPageMax: 1_000,
  seriesPointsMax: 2_000,
  seriesStepSecondsMin: 60,

  /** Page size of the dashboard's list of checks. */
  checksPerPart: 100,
  /** Page sizes of `GET /checks?include=state`. */
  checkRowsPageDefault: 100,
  checkRowsPageMax: 500,
  /** Page sizes of the outage log. */
  outagesPageDefault: 50,
  outagesPageMax: 200,

  /** Server-sent events: streams per key or session, and the backlog of a slow reader. */
  eventStreamsPerOwnerMax: 5,
  eventStreamBacklogMax: 1_000,

  /** Ingest refuses older readings. */
  readingAgeMsMax: 7 * 86_400_000,
  /**
   * How far an agent's clock may be ahead of the receiver's. An agent corrects a small offset by the clock of
   * the control planes; this is for an agent that does not know its offset.
   */
  clockSkewMsMax: 60_000,
} as const
