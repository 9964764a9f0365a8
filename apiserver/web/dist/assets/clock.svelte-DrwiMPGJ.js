import{ar as s}from"./format-Kkl7ix2p.js";function n(r){const e=s(t=>{const o=setInterval(t,r);return()=>clearInterval(o)});return()=>(e(),Date.now())}const a=n(1e4),i=n(1e3);export{i as a,a as n};
