/**
 * Every bound of the system that more than one part must know, with its unit in its name.
 * A bound that only one loop knows stands beside that loop.
 */
export const limits = {
  /** Keyed budgets: sliding window, shared by REST and MCP (S-2301). */
  readsPerMinute: 120,
  writesPerMinute: 30,
  /** Keyless budget per address (S-2303). */
  keylessPerMinute: 60,
  budgetWindowMs: 60_000,

  requestBodyBytesMax: 64 * 1024,
  /** Levels of nesting in JSON from outside: what is deeper is refused before it is parsed. */
  jsonDepthMax: 64,
  nameCharactersMax: 200,
  /** A body that people read: an incident's update, a maintenance window. */
  proseCharactersMax: 10_000,
  /** Updates of one incident: every answer with it holds them all. */
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

  /** An attempt's deadline is the lesser of this and `attemptShareOfInterval` of the interval. */
  attemptMsMax: 10_000,
  attemptShareOfInterval: 0.4,
  /** A journey's step (S-410). */
  redirectHopsMax: 3,
  /** An http check: as far as browsers follow. */
  checkRedirectHopsMax: 20,
  /** Of the URL that a redirect leads to. */
  redirectUrlCharactersMax: 32 * 1024,
  /** A multi-step check (S-401, S-411): its steps, one request or hop, the whole. */
  stepsMax: 10,
  stepRequestMsMax: 10_000,
  journeyMsMax: 45_000,
  /** A browser check's one attempt: a page with all it loads. */
  browserAttemptMsMax: 20_000,
  /** A wait for a page of Chromium: as long as another run may have it, and a little to close it. */
  pageTurnMsMax: 22_000,
  /** A wait of a run that is asked for until it is its account's turn at the agent. */
  runTurnMsMax: 5_000,
  /** Who asks for a run waits so long at most, whatever its type. */
  runAskedMsMax: 57_000,
  /** A wait of one attempt for a place among the connections that are being made, and the longest hold of one. */
  handshakeWaitMsMax: 2_000,
  handshakeHeldMsMax: 1_000,
  /** Journeys and browser runs are this far apart at least, so that a run ends before the next. */
  longRunIntervalSecondsMin: 60,
  stepBodyCharactersMax: 10_000,
  /** Literal text that a tcp check sends or expects, and values that a dns check expects. */
  probeTextCharactersMax: 1_000,
  dnsValuesMax: 20,
  /** Name servers of a catalog service's zone that a reading notes. */
  nameServersMax: 8,
  /** Decoded bytes read for body and JSON path assertions (S-311). */
  bodyBytesMax: 256 * 1024,
  /** Encoded bytes taken from the wire for one response. */
  encodedBytesMax: 1024 * 1024,
  /** Headers that have room of themselves, and those that an http check's answer may have where there is more. */
  headerBytesMax: 16 * 1024,
  largeHeaderBytesMax: 256 * 1024,

  reasonCharactersMax: 300,
  /** What a reading notes that is no fault. */
  readingNotesMax: 20,
  /** A picture of a failed page, in base64: several fit a message. */
  screenshotCharactersMax: 120_000,

  /** A message of readings: to this many readings or this much time, whichever comes first. */
  readingsPerMessageMax: 100,
  readingsMessageAgeMs: 200,
  readingsMessageBytesMax: 512 * 1024,
  partitions: 16,
  /** Of the stream of error events, by project id. */
  errorPartitions: 4,

  /** Page sizes of `GET /checks/:id/readings` and points of `/series`. */
  readingsPageDefault: 100,
  readingsPageMax: 1_000,
  seriesPointsMax: 2_000,
  seriesStepSecondsMin: 60,

  /** What the dashboard's list shows at once. */
  checksPerPart: 100,

  /** Server-sent events: streams per key or session, and events that one slow reader may lag behind. */
  eventStreamsPerOwnerMax: 5,
  eventStreamBacklogMax: 1_000,

  /** A reading older than this cannot be due any more and is refused at ingest. */
  readingAgeMsMax: 7 * 86_400_000,
  /**
   * How far ahead of the receiver's clock an agent's clock may be. An agent whose clock is off by seconds goes by
   * the control planes' instead; this is for one that cannot know it.
   */
  clockSkewMsMax: 60_000,
} as const
