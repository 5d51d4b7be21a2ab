/** Features that speak to somebody else than the page, or that change what a page is measured by. */
const disabledFeatures = [
  'AimEnabled',
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'DialMediaRouteProvider',
  'GlobalMediaControls',
  'HttpsUpgrades',
  'InterestFeedContentSuggestions',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'Translate',
]

/** One page must not take the memory of the machine, MB. */
const scriptHeapMb = 512

/**
 * Every flag that Chromium is started with; none comes from elsewhere. Whatever it opens goes
 * through the proxy: loopback too, names are not resolved, QUIC and unproxied WebRTC are off.
 */
export const chromiumFlags = (options: {
  proxyPort: number
  profile: string
  isSandboxed: boolean
}): string[] => [
  '--headless',
  '--remote-debugging-pipe',
  '--no-startup-window',
  `--user-data-dir=${options.profile}`,
  ...(options.isSandboxed ? [] : ['--no-sandbox']),

  `--proxy-server=http://127.0.0.1:${options.proxyPort}`,
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--dns-prefetch-disable',
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',

  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-extensions-with-background-pages',
  '--disable-component-update',
  '--disable-crash-reporter',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-field-trial-config',
  '--disable-search-engine-choice-screen',
  '--disable-sync',
  '--metrics-recording-only',
  '--no-default-browser-check',
  '--no-first-run',
  '--no-pings',
  '--no-service-autorun',

  '--deny-permission-prompts',
  '--disable-back-forward-cache',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-renderer-backgrounding',
  '--force-color-profile=srgb',
  '--hide-scrollbars',
  '--mute-audio',
  '--password-store=basic',
  '--use-mock-keychain',
  `--js-flags=--max-old-space-size=${scriptHeapMb}`,
  '--enable-features=CDPScreenshotNewSurface',
  `--disable-features=${disabledFeatures.join(',')}`,
]
