import { createApp } from "vue";
import { connect } from "storecast";
import * as storecast from "storecast/vue";
import { address } from "../address.js";
import { oneMore, optimistic, sentence } from "../votes.js";

const { useConnection, usePending, useSelection, useStatus } = storecast;

const App = {
  setup() {
    const { dispatch } = useConnection();
    return {
      votes: useSelection("value", { path: "/votes" }, { optimistic }),
      status: useStatus(),
      pending: usePending(),
      vote: (drink) => dispatch(oneMore(drink)),
      sentence,
    };
  },
  template: `
    <p>
      <button v-for="(count, drink) in votes" :key="drink" @click="vote(drink)">
        {{ drink }}: {{ count }}
      </button>
    </p>
    <p role="status">{{ sentence(status.state, pending) }}</p>`,
};

createApp(App).use(storecast, connect(address)).mount("#app");
