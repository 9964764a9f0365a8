import{b as s,B as c}from"./format-BUxM6R6Q.js";const b=Symbol("NaN");function t(r,e,n){var o=new c(r);s(()=>{var a=e();a!==a&&(a=b),o.ensure(a,n)})}export{t as k};
