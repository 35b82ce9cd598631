// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { addressFile, folder, makeRuns, root, steptrace, work } from './runs';

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

async function answers(address: string): Promise<boolean> {
  return fetch(`${address}/api/server`).then(
    (response) => response.ok,
    () => false,
  );
}

/** Makes the runs and starts `steptrace ui` on them; UI_DEV=1 takes dev/server.mjs in its place. */
export default async function setup() {
  makeRuns();
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const [command, args] =
    process.env.UI_DEV === '1'
      ? ['node', [join(root, 'ui/dev/server.mjs'), folder, String(port)]]
      : [steptrace, ['ui', folder, '--port', String(port)]];
  const server = spawn(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, STEPTRACE: steptrace },
  });
  process.env.UI_SERVER_PID = String(server.pid);
  for (let tries = 0; !(await answers(address)); tries++) {
    if (tries > 150 || server.exitCode !== null)
      throw new Error(`${command} ui does not answer on ${address}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  writeFileSync(addressFile, address);
  console.log(`serving ${folder} (${work}) at ${address}`);
}
