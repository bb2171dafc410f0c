// Attacks with what node brings: called like those in C, with the name of the attack and the canaries.
'use strict';

const fs = require('fs');
const [name, folder, victim, tcpPort, udpPort] = process.argv.slice(2);

const attacks = {
  node_reads: async () => fs.readFileSync(`${folder}/secret`),
  node_writes: async () => fs.writeFileSync(`${folder}/world/left`, 'x'),
  node_watches: async () => fs.watch(`${folder}/other`).close(),
  node_kills: async () => process.kill(Number(victim), 'SIGKILL'),
  node_sees_environment: async () => {
    if (!process.env.ARENA_CANARY) throw new Error('a clean environment');
  },
  node_starts_program: async () => {
    const { error } = require('child_process').spawnSync('/bin/true');
    if (error) throw error;
  },
  node_connects: () => new Promise((resolve, reject) => {
    require('net').connect(Number(tcpPort), '127.0.0.1').on('connect', resolve).on('error', reject);
  }),
  node_sends: () => new Promise((resolve, reject) => {
    const socket = require('dgram').createSocket('udp4').on('error', reject);
    socket.send('x', Number(udpPort), '127.0.0.1', error => (error ? reject(error) : resolve()));
  }),
  node_listens: () => new Promise((resolve, reject) => {
    require('net').createServer().listen(0, '127.0.0.1', resolve).on('error', reject);
  }),
  node_takes_memory: async () => Array.from({ length: 40 }, () => Buffer.alloc(16 << 20, 1)).length,
};

attacks[name]().then(() => 'through', error => `held: ${error.message}`).then(verdict => {
  fs.writeSync(1, `${verdict}\n`);
  process.exit(0);
});
