/** The parts of a browser that signing in needs: cookies, and redirects followed one by one. `always`: headers of each request. */
export function openBrowser(always: Record<string, string> = {}) {
  const cookies = new Map<string, Map<string, string>>();
  const keys = new Map<string, string>();

  async function visit(address: string | URL, init: RequestInit = {}): Promise<Response> {
    const url = new URL(address);
    const jar = cookies.get(url.host) ?? new Map<string, string>();
    cookies.set(url.host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const key = keys.get(url.host);
    const headers = {
      ...always,
      ...(cookie && { cookie }),
      ...(key && { 'x-session-key': key }),
      ...(init.headers as Record<string, string> | undefined),
    };
    const response = await fetch(url, { redirect: 'manual', ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    return response;
  }

  return {
    visit,
    /** Signs in as the app's page does. The session key goes with every later request to that host. */
    async signIn(at: string, credentials: Record<string, string>): Promise<Response> {
      const response = await visit(`${at}/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify(credentials),
      });
      if (response.ok) {
        const { session_key: key } = (await response.clone().json()) as { session_key: string };
        keys.set(new URL(at).host, key);
      }
      return response;
    },
    keyOf: (address: string) => keys.get(new URL(address).host) ?? '',
    /** Keeps a session key that a page has put into the storage of its origin. */
    keepKey: (address: string, key: string) => void keys.set(new URL(address).host, key),
    cookiesOf: (address: string) => cookies.get(new URL(address).host) ?? new Map<string, string>(),
    /** Follows redirects until a page comes or a redirect points to `end`. */
    async follow(start: string | URL, end?: string): Promise<{ url: URL; response: Response | undefined }> {
      let url = new URL(start);
      for (let hops = 0; hops < 12; hops++) {
        if (end !== undefined && url.href.startsWith(end)) return { url, response: undefined };
        const response = await visit(url);
        const location = response.headers.get('location');
        if (!location) return { url, response };
        url = new URL(location, url);
      }
      throw new Error(`Too many redirects at ${url.href}.`);
    },
  };
}
