import path from 'node:path';
import type { ServiceProgram } from './program.ts';

export const LAUNCHD_LABEL = 'dev.reborn.agent';

export const launchdLog = (home: string | undefined): string =>
  home === undefined ? '/var/log/reborn.log' : path.join(home, 'service.log');

/** The property list for macOS: a system daemon if a user is named, otherwise an agent of the installing user. */
export function renderLaunchdPlist({ node, main, home, user }: ServiceProgram): string {
  const log = escape(launchdLog(home));
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LAUNCHD_LABEL}</string>
  <key>ProgramArguments</key>
  <array>
    <string>${escape(node)}</string>
    <string>${escape(main)}</string>
    <string>serve</string>
  </array>${home === undefined ? '' : environment(home)}${user === undefined ? '' : userName(user)}
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <true/>
  <key>ThrottleInterval</key>
  <integer>5</integer>
  <key>ExitTimeOut</key>
  <integer>60</integer>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardOutPath</key>
  <string>${log}</string>
  <key>StandardErrorPath</key>
  <string>${log}</string>
</dict>
</plist>
`;
}

const environment = (home: string): string => `
  <key>EnvironmentVariables</key>
  <dict>
    <key>REBORN_HOME</key>
    <string>${escape(home)}</string>
  </dict>`;

const userName = (user: string): string => `
  <key>UserName</key>
  <string>${escape(user)}</string>`;

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
