/** Requests a minute, in a sliding window that REST and MCP share. */
export const rateLimits = {
  /** Of one API key (S-2301). */
  readsPerMinute: 120,
  writesPerMinute: 30,
  /** Of one client address without a key (S-2303). */
  keylessPerMinute: 60,
  windowMs: 60_000,
} as const
