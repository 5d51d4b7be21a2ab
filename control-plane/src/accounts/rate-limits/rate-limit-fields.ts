/** The header fields of draft-ietf-httpapi-ratelimit-headers-11, the same for every budget. */

/** The value of `RateLimit-Policy`. */
export const rateLimitPolicyOf = (name: string, quota: number, windowMs: number): string =>
  `"${name}";q=${quota};w=${windowMs / 1000}`

/** The value of `RateLimit`. */
export const rateLimitOf = (name: string, left: number, resetMs: number): string =>
  `"${name}";r=${left};t=${Math.ceil(resetMs / 1000)}`
